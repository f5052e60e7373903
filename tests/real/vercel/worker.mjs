// Validates messages with the real package ai: a request a line, an answer a line.
import { createInterface } from "node:readline";
import { convertToModelMessages, modelMessageSchema, safeValidateUIMessages } from "ai";

async function answer({ model, ui }) {
  for (const message of model ?? []) modelMessageSchema.parse(message);
  if (!ui) return { ok: true };
  const found = await safeValidateUIMessages({ messages: ui });
  if (!found.success) throw found.error;
  // What the package makes of them for a model.
  return { ok: true, model: await convertToModelMessages(ui) };
}

for await (const line of createInterface({ input: process.stdin })) {
  let reply;
  try {
    reply = await answer(JSON.parse(line));
  } catch (error) {
    reply = { error: String(error).slice(-500) };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
}
