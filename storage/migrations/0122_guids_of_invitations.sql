-- An account that accepts an invitation keeps its guid. The guid of the invitation names the user, too, because the answer to the
-- invitation told it.

alter table users add column invited_as uuid;  -- the guid of the invitation with which the account joined its business
