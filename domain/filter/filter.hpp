#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// A key of an order.
struct SortKey {
  std::string value;  // over the row `r`; of a text without the limit of a line, its first 200 characters
  std::string joined_value;  // as `value`, over the join of SqlFragment
  bool is_descending = false;
  bool may_be_null = false;  // null sorts below every value
  bool is_cut = false;       // `value` may be a part of the field
};

/// A piece of SQL over the record's table under the alias `r`. `params` has the values in text form, which
/// `text` names `$first_param`, `$first_param + 1`, …; `text` never contains input. It can be joined by `and`
/// without parentheses. Its types are checked, so that its execution fails for no input.
struct SqlFragment {
  std::string text;
  std::vector<std::string> params;
  /// The column that alone decides: `text` is `r.COLUMN = $first_param`, or bounds of created_at. Empty if
  /// there is none.
  std::string_view sole_column = {};
  bool is_of_status = false;  // the status alone decides, by any condition: `text` names no other column
  // A condition is on own data (tags, metadata, external_reference), of whose values the planner knows too
  // little: it may expect many rows where there are few.
  bool has_own_data = false;
  /// A condition, with the same parameters, that is true for exactly the rows for which `text` is not, and
  /// whose rows an index counts. Empty unless `text` tests own data with `ne` or `not`.
  std::string complement;
  /// The value of own data, as own_values of the schema writes it, in SQL with the same parameters, if `text`
  /// or `complement` is nothing but the equality with it; otherwise empty.
  std::string own_value;
  bool has_indexed_word = false;  // of `$search`: the index of texts finds it
  /// The `text` of a `$filter` without its tests of `search_text`, with the same parameters; empty if it has
  /// none. A scan would test each text twice.
  std::string text_for_scans;
  bool has_computed_key = false;  // of `$orderby`: a key is not a column of `r`
  /// A join of `r` with the customers, and the order over this join, if an `$orderby` has fields of the
  /// customer; otherwise empty. It sorts many rows much faster than `text`.
  std::string join, joined_text;
  std::vector<SortKey> keys;  // of `$orderby`: those of `text`
};

/// A sentence for `details`, with the position of the error (in characters, from 1) where there is one.
struct FilterError {
  std::string message;
};

using FilterResult = std::variant<SqlFragment, FilterError>;

/// Compiles `$filter`, the contract's subset of OData 4, to a boolean expression. At most 4 KiB and 32
/// levels. Empty text gives `true`.
///
/// `business` is the SQL of the business's guid in the surrounding statement. With it, an index on a relative
/// can serve conditions on the relative: beneath OR, PostgreSQL cannot join, but it can look up the relatives
/// first.
///
/// Missing values behave as in OData: `eq null` and `ne null` test for them, `ne` holds for them, every other
/// comparison is false for them. `not` inverts the result exactly, also where a string function gets a
/// missing value. Strings compare with case; timestamps may be dates (their midnight UTC); `customer.name`
/// may be written `customer/name`. String tests of searchable fields also test `search_text`, so that its
/// trigram index serves them. `tags eq 'vip'` holds if any tag is vip, without regard to case. `metadata/KEY`
/// is compared in the type of the other value, and is missing if it has another type.
FilterResult compile_filter(std::string_view text, const RecordType& type, int first_param,
                            std::string_view business = "$1");

/// Compiles `$orderby` to the list after ORDER BY: at most 8 different fields, missing values below all
/// others. `r.guid` is always the last key, in the direction of the key before it, so that one index on
/// (business_id, field, guid) serves both directions. Empty text sorts the newest first.
FilterResult compile_orderby(std::string_view text, const RecordType& type);

/// Compiles `$search`: each word (split at white space) must occur in one of the searchable fields, without
/// regard to case. A word with invisible characters (base/blanks.hpp) is also looked for without them. At
/// most 200 characters and 16 words. Empty text gives `true`. `business` as for compile_filter.
///
/// The tables have `search_text`, a column or a function of the row, never null: `lower()` of the searchable
/// own fields, separated by white space. Some fields are in another function (Column::search_text), which is
/// null if none of them has a value. A trigram index on each serves words of three characters and more.
FilterResult compile_search(std::string_view text, const RecordType& type, int first_param,
                            std::string_view business = "$1");

/// A text that `compile_words` searches, in SQL over the row `r`; never null and lower case.
struct SearchText {
  std::string_view indexed;         // has a trigram index
  std::string_view searched = {};   // a part of it; empty: all of it
  std::string_view condition = {};  // condition of the index; empty: none
};

/// Compiles a search like `compile_search`, in the given texts.
FilterResult compile_words(std::string_view text, std::span<const SearchText> texts, int first_param);

/// The value of own data of a tag or a reference (SqlFragment::own_value). `text` is the tag or reference, in
/// SQL.
std::string own_value_of_tag(const std::string& text);
std::string own_value_of_reference(const std::string& text);

}  // namespace waybill::domain
