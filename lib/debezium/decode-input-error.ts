/** Input from which nothing can be read. The message says where and what would be right. */
export class DecodeInputError extends Error {
  override readonly name = "DecodeInputError";
}

export const whatWouldDo =
  'Paste the answer of GET /connectors/<name>/offsets, one {"partition":…,"offset":…}, an offset such as {"lsn":…}, or records of a topic.';
