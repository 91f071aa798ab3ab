-- A route says whether it begins and ends at the business's address.

-- True if the address of the business could not be located when the route was planned.
alter table dispatches add column start_unlocated boolean not null default false;
