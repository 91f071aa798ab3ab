-- Removes the count of a login attempt.
-- $1 email text or null, $2 network text, $3 counted_at timestamptz
update login_failures f set times = array_remove(f.times, $3::timestamptz)
from (select key from login_failures
      where key in (sha256(convert_to('email:' || lower($1::text), 'UTF8')),
                    sha256(convert_to('address:' || $2::text, 'UTF8')))
      order by key
      for update) k
where f.key = k.key
