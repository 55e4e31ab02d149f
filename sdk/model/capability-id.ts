export const CAPABILITY_ID = "^[a-z][a-z0-9-]*(\\.[a-z][a-z0-9-]*)*$";
export const LONGEST_ID = 128;
const form = new RegExp(CAPABILITY_ID);

export const isCapabilityId = (text: string): boolean => text.length <= LONGEST_ID && form.test(text);
