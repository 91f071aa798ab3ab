-- Businesses that have chosen their name themselves. The operator's commands do not take such a name for one that the operator
-- gave.

-- Null: not since the operator made it. Of a business that registered itself, registered_by_itself says so.
alter table businesses add column renamed_itself boolean;
