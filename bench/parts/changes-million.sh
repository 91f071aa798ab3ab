# The part `changes` with a business of a million orders.
make_data 'A million orders' 1000000 '{ready}'
# shellcheck source=changes.sh
. "$bench/parts/changes.sh"
