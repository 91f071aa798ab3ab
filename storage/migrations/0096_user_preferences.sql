-- Saved views of lists and settings of the console, which a user keeps in a business.
create table user_preferences (
  business_id  uuid not null references businesses,
  user_id      uuid not null references users on delete cascade,
  views        jsonb not null default '[]' check (jsonb_typeof(views) = 'array'),  -- {name, page, query}, in the user's order
  language     text,                                                               -- BCP 47
  timezone     text,                                                               -- IANA
  theme        text check (theme in ('light', 'dark', 'system')),
  updated_at   timestamptz not null default now(),
  primary key (business_id, user_id)
);
create index user_preferences_by_user on user_preferences (user_id);
