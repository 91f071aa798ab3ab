#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// A piece of SQL over the record's table under the alias `r`. Values stand in `params`, in text form, and
/// are named
/// `$first_param`, `$first_param + 1`, … in `text`; nothing of the input is ever in `text`. It may stand
/// beside `and` as it is. Its types are checked: executing it fails for no input.
struct SqlFragment {
  std::string text;
  std::vector<std::string> params;
};

/// A sentence for `details`; it tells the character (from 1) where that makes sense.
struct FilterError {
  std::string message;
};

using FilterResult = std::variant<SqlFragment, FilterError>;

/// `$filter`: the OData 4 subset of the contract as a boolean expression. At most 4 KiB and 32 levels. Empty
/// text: `true`.
///
/// `business` is the SQL of the asking business's guid, as the statement around it names it. It is what lets
/// an index on a relative serve conditions on it: beneath OR, PostgreSQL cannot join, but it can look up the
/// relatives first.
///
/// Missing values, as in OData: `eq null` and `ne null` ask for them, `ne` holds for them, every other
/// comparison is false for them. `not` turns exactly around what holds, also where a string function meets a
/// missing value. Strings compare with case; timestamps may be dates (their midnight UTC); `customer.name` is
/// also `customer/name`. String tests of searchable fields ask `search_text` too, so that its trigram index
/// serves them.
FilterResult compile_filter(std::string_view text, const RecordType& type, int first_param,
                            std::string_view business = "$1");

/// `$orderby` as the list behind ORDER BY: at most 8 different fields, missing values below all others.
/// `r.guid` is always its last key, in the direction of the one before, so that one index on (business_id,
/// field, guid) serves both directions. Empty text: the newest first.
FilterResult compile_orderby(std::string_view text, const RecordType& type);

/// `$search`: every word (split at white space) in any of the searchable fields, without regard to case. At
/// most 200 characters and 16 words. Empty text: `true`. `business` as above.
///
/// The tables have `search_text`, a column or a function of the row, never null: `lower()` of each searchable
/// own field, whole, with a white space character between two of them. A trigram index on it serves words of
/// three characters and more.
FilterResult compile_search(std::string_view text, const RecordType& type, int first_param,
                            std::string_view business = "$1");

}  // namespace waybill::domain
