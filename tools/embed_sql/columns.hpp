#pragma once

#include <string>
#include <string_view>

namespace waybill::embed_sql {

/// Replaces the lines `\columns FORM TABLE.SET [ALIAS] [except COLUMN…]` of an SQL text by lists of the
/// columns in the tables of domain/records/. The lists have no comma at their ends.
///
/// SET selects the columns of a table: `merged`, `imported`, `settable`, `personal`, `answered` or `listed`
/// (domain::Column). FORM is the form of each column:
///
///     names       delivery_city
///     values n    n.delivery_city
///     assign n    delivery_city = n.delivery_city
///     typed       delivery_city text
///     answer r    r.delivery_city as "deliveryAddress.city"
///
/// Blocks may follow an `answer`, up to a line `\end`. `\after PATH [moves PATH…]` begins SQL that stands
/// behind the column at PATH; the moved columns stand there, too. `\instead PATH` begins SQL that replaces a
/// column.
///
/// Throws std::runtime_error for a line that is not of this form, names nothing, or gives an empty list.
std::string with_columns(std::string_view text);

}  // namespace waybill::embed_sql
