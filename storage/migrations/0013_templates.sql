-- Templates that a business writes: texts of mails, push messages and webhooks. Workflows and other templates name them by
-- code. The built-in templates are part of the program.

create table templates (
  business_id  uuid not null references businesses,
  guid         uuid not null default gen_random_uuid(),
  code         text not null,
  name         text not null check (name <> ''),
  entity_type  smallint not null check (entity_type between 0 and 3),
  type         text not null check (type in ('send_email', 'send_push', 'webhook')),
  subject      text,
  body         text,
  html         text,
  title        text,
  url          text,
  partials     text[] not null default '{}',  -- codes of the templates that its texts include
  version      integer not null default 1,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  deleted_at   timestamptz(3),
  epoch        bigint not null default 0,
  primary key (business_id, guid),
  constraint templates_code_is_one check (code ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$')
);
create unique index templates_code_unique on templates (business_id, code) where deleted_at is null;
create index templates_by_epoch on templates (epoch);

create table template_versions (
  business_id  uuid not null,
  template_id  uuid not null,
  version      integer not null,
  definition   jsonb not null,
  created_at   timestamptz(3) not null default now(),
  primary key (business_id, template_id, version)
);

-- The definition that a version keeps.
create function template_definition(t templates) returns jsonb language sql stable as $$
  select jsonb_build_object('code', t.code, 'name', t.name, 'entityType', t.entity_type, 'type', t.type,
                            'subject', t.subject, 'body', t.body, 'html', t.html, 'title', t.title, 'url', t.url) $$;

-- A change of a template advances the workflows' epoch like a change of a workflow, so that no worker matches an event with
-- older texts. No row of workflows is updated or locked.
create trigger advance_epoch before insert or update on templates for each row execute function advance_workflow_epoch();

-- The texts of a business's templates and of the templates they include, as an object by code; null for an unknown code.
create function template_texts(business uuid, codes text[]) returns jsonb language sql stable as $$
  with recursive wanted (code) as (
    select unnest(codes)
    union
    select unnest(t.partials)
    from wanted w join templates t on t.business_id = business and t.code = w.code and t.deleted_at is null
  )
  select coalesce(jsonb_object_agg(w.code, case when t.guid is not null then
                    jsonb_build_object('subject', t.subject, 'body', t.body, 'html', t.html, 'title', t.title, 'url', t.url)
                  end), '{}')
  from wanted w left join templates t on t.business_id = business and t.code = w.code and t.deleted_at is null
  where w.code is not null
$$;

-- True if a workflow of the business uses the template, directly or through templates that include it.
create function template_in_use(business uuid, template text) returns boolean language sql stable as $$
  with recursive including (code) as (
    select template
    union
    select t.code
    from including i join templates t on t.business_id = business and t.deleted_at is null and i.code = any (t.partials)
  )
  select exists (select from workflows w
                 where w.business_id = business and w.deleted_at is null
                   and w.template_codes && array(select code from including))
$$;
