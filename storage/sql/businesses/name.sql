select name from businesses where guid = $1::uuid
