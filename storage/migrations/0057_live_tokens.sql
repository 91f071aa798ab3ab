-- A business has at most 1000 API tokens that are neither revoked nor expired. Tokens beyond it that exist stay.

create index api_tokens_live on api_tokens (business_id) where revoked_at is null;
create trigger limit_rows before insert on api_tokens for each row
  execute function limit_rows('revoked_at is null and (expires_at is null or expires_at > now())');
