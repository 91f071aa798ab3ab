# The differences between the expected answer $want[0] and the input: one line each, none if the input has every key and value
# of $want. In $want, "<any text>" matches every value, "…" within a text matches every text, and a key or an element "…" is
# ignored. An element of a list is found anywhere in the other list. Times are texts.
def is_placeholder: type == "string" and test("^(<[^<>]*>|…)$");

def pattern: "^" + (split("…") | map(gsub("(?<c>[^A-Za-z0-9 ])"; "\\\(.c)")) | join(".*")) + "$";

def differences($want; $at):
  . as $got
  | if $want | is_placeholder then empty
    elif ($want | type) != ($got | type) then "\($at): \($got | tojson) instead of \($want | tojson)"
    elif ($want | type) == "object" then
      ($want | keys_unsorted[] | select(. != "…")) as $key
      | if $got | has($key) then $got[$key] | differences($want[$key]; "\($at).\($key)") else "\($at).\($key): is missing" end
    elif ($want | type) == "array" then
      ($want | to_entries[] | select(.value != "…")) as {$key, $value}
      | if any($got[]; isempty(differences($value; ""))) then empty
        else first(($got[0:1][] | differences($value; "\($at)[\($key)]")), "\($at)[\($key)]: is missing") end
    elif ($want | type) == "string" and ($want | contains("…")) then
      if $got | test($want | pattern) then empty else "\($at): \($got | tojson) instead of \($want | tojson)" end
    elif $want == $got then empty
    else "\($at): \($got | tojson) instead of \($want | tojson)" end;

differences($want[0]; "")
