import { gzipSync } from 'node:zlib';
import type { ServiceAnswer, ServiceFault, ServiceQuestion } from './service-answers.ts';

/** An answer that a test dictates. Rate limit headers and a JSON content type are there unless replaced. */
export interface DictatedAnswer {
  /** 200 unless given. */
  status?: number;
  /** `undefined` takes a header away. */
  headers?: Record<string, string | undefined>;
  /** A string or bytes go out as they are, anything else as JSON. */
  body?: unknown;
  /** Compresses the body and says so. */
  gzip?: boolean;
  /** Waited in addition to the latency switch. */
  delayMs?: number;
  fault?: ServiceFault;
  /** Only for requests whose path (with query, still encoded) contains or matches this. */
  path?: string | RegExp;
  /** For how many requests; 1 unless given. */
  times?: number;
  /** Whether the request counts against bucket and day; no unless given. */
  counted?: boolean;
}

/** A function is asked for every request until it answers one; `undefined` leaves the request to the next in line. */
export type ScriptedAnswer = DictatedAnswer | ((question: ServiceQuestion) => DictatedAnswer | undefined);

/** Answers waiting for their requests, in the order in which they were scripted. */
export class ServiceScript {
  #waiting: { answer: ScriptedAnswer; times: number }[] = [];

  add(answers: readonly ScriptedAnswer[]): void {
    for (const answer of answers) {
      this.#waiting.push({ answer, times: typeof answer === 'function' ? 1 : (answer.times ?? 1) });
    }
  }

  /** Takes the first answer meant for this request; absent when the normal rules are to answer it. */
  take(question: ServiceQuestion): DictatedAnswer | undefined {
    for (const entry of this.#waiting) {
      const dictated = dictatedFor(entry.answer, question);
      if (!dictated) continue;
      entry.times -= 1;
      if (entry.times <= 0) this.#waiting = this.#waiting.filter((other) => other !== entry);
      return dictated;
    }
    return undefined;
  }
}

function dictatedFor(answer: ScriptedAnswer, question: ServiceQuestion): DictatedAnswer | undefined {
  if (typeof answer === 'function') return answer(question);
  if (answer.path === undefined) return answer;
  const meant = typeof answer.path === 'string' ? question.path.includes(answer.path) : answer.path.test(question.path);
  return meant ? answer : undefined;
}

/** What goes over the wire for a dictated answer; `common` are the headers that every response carries. */
export function scriptedAnswer(dictated: DictatedAnswer, common: Record<string, string>): ServiceAnswer {
  const { status = 200, body = '', gzip = false } = dictated;
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const plain = raw ? body : JSON.stringify(body);
  const headers: Record<string, string> = {
    ...common,
    'content-type': 'application/json; charset=utf-8',
    ...(gzip && { 'content-encoding': 'gzip' }),
  };
  for (const [name, value] of Object.entries(dictated.headers ?? {})) {
    if (value === undefined) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = value;
  }
  return { status, headers, body: gzip ? gzipSync(plain) : plain };
}
