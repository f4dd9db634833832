/** What the operator has to mend. The message is a sentence that says how, and is printed as it is, without a stack. */
export abstract class OperatorError extends Error {}
