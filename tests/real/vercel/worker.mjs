// Validates messages and chunks with the real package ai: a request a line, an answer a line.
import { createInterface } from "node:readline";
import {
  convertToModelMessages, modelMessageSchema, readUIMessageStream, safeValidateUIMessages, uiMessageChunkSchema,
} from "ai";

async function answer({ model, ui, chunks }) {
  if (chunks) return { ok: true, message: await messageOf(chunks) };
  for (const message of model ?? []) modelMessageSchema.parse(message);
  if (!ui) return { ok: true };
  const found = await safeValidateUIMessages({ messages: ui });
  if (!found.success) throw found.error;
  // What the package makes of them for a model.
  return { ok: true, model: await convertToModelMessages(ui) };
}

// The message that the package's client makes of a stream.
async function messageOf(chunks) {
  for (const chunk of chunks) {
    const found = await uiMessageChunkSchema().validate(chunk);
    if (!found.success) throw found.error;
  }
  // Not every chunk shows a new state of the message; naming it once more does.
  const link = chunks.findLast((chunk) => chunk.type === "start" && chunk.messageId)?.messageId ?? "";
  const stream = ReadableStream.from([...structuredClone(chunks), { type: "start", messageId: link }]);
  let last;
  let failure;
  for await (const message of readUIMessageStream({ stream, onError: (error) => (failure = error) })) last = message;
  if (failure) throw failure;
  return last;
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
