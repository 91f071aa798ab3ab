-- Locks and returns the invitation of a mailed token, with the account that already has its e-mail address,
-- if any.
-- $1 token_hash bytea
-- -> guid uuid, business_id uuid, account uuid or null
select i.guid, i.business_id, k.guid as account
from users i
left join users k on lower(k.email) = lower(i.email) and k.password_hash is not null
where i.mail_token_hash = $1::bytea and i.mail_token_expires_at > now() and i.password_hash is null
for update of i
