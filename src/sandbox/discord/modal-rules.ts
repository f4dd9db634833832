import type { APIModalInteractionResponseCallbackData } from 'discord-api-types/v10';
import * as z from 'zod';

import { requiredText } from './field-rules.ts';

/** interactions/receiving-and-responding, "Modal" */
export const ModalForm = z
  .object({
    custom_id: requiredText(100),
    title: requiredText(45),
    components: z.array(z.looseObject({})).min(1).max(5),
  })
  .transform((modal) => modal as unknown as APIModalInteractionResponseCallbackData);
