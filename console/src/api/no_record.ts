import {ApiError} from './client';

/** The error of a record that does not exist. */
export const noRecord = new ApiError(404, 'NOT_FOUND', '', {}, null, 0);

/** True if a call was refused only because an id in the URL is none, so that there is no such record. */
export function isNoRecord(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') return false;
  const texts = Object.values(error.details);
  return texts.length > 0 && texts.every((text) => text === 'must be a uuid');
}
