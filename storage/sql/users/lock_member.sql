-- Locks a user of a business, also one named by the guid of the accepted invitation. Returns the user's own guid, the role and
-- whether no other owner has an account. Must run under the lock of the business.
-- $1 business uuid, $2 user uuid
-- -> guid uuid, role text, is_last_owner boolean
select u.guid, u.role,
       u.role = 'owner' and u.password_hash is not null
         and not exists (select from users o where o.business_id = u.business_id and o.guid <> u.guid
                         and o.role = 'owner' and o.password_hash is not null) as is_last_owner
from users u
where u.business_id = $1::uuid and $2::uuid in (u.guid, u.invited_as)
for update
