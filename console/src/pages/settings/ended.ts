/** True for a token that was not revoked and has expired. */
export function hasEnded(token: {status: string; expiresAt: string | null}): boolean {
  return token.status === 'active' && token.expiresAt !== null && Date.parse(token.expiresAt) < Date.now();
}
