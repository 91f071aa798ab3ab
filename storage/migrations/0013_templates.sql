-- Templates that a business writes: the texts of mails, push messages and webhooks, which its workflows and other
-- templates name by their code. The built-in ones are part of the program.

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

-- What a version keeps of a template.
create function template_definition(t templates) returns jsonb language sql stable as $$
  select jsonb_build_object('code', t.code, 'name', t.name, 'entityType', t.entity_type, 'type', t.type,
                            'subject', t.subject, 'body', t.body, 'html', t.html, 'title', t.title, 'url', t.url) $$;

-- A change of a template moves the workflows' epoch on, in its own transaction, as a change of a workflow does: no worker
-- matches an event with texts older than it. No workflow's row is touched, so none is locked.
create trigger epoch before insert or update on templates for each row execute function advance_workflow_epoch();

-- The templates that a workflow's action uses, itself or as partials of its own texts.
alter table workflows add column template_codes text[] not null default '{}';

-- The texts of templates of a business, and of those they include, as an object by code; null for a code it has not.
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

-- Whether a workflow of the business uses a template, itself or through templates that include it.
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
