// Loads and makes messages with the real LangChain JS: a request a line, an answer a line.
import { createInterface } from "node:readline";
import { load } from "@langchain/core/load";
import * as messages from "@langchain/core/messages";

const NAMES = [
  "content", "tool_calls", "invalid_tool_calls", "usage_metadata", "tool_call_id", "status", "artifact", "role",
  "additional_kwargs", "response_metadata", "id", "name",
];

for await (const line of createInterface({ input: process.stdin })) {
  let reply;
  try {
    const { load: native, make } = JSON.parse(line);
    const message = make ? new messages[make.class](make.fields) : await load(JSON.stringify(native));
    const said = Object.fromEntries(NAMES.map((name) => [name, message[name] ?? null]));
    reply = { fields: { ...said, class: message.constructor.name }, dump: JSON.parse(JSON.stringify(message)) };
  } catch (error) {
    reply = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
}
