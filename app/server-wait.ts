/** A page waits this long for the database before it sends its skeleton, in milliseconds. */
export const serverWaitMs = 2_500;
