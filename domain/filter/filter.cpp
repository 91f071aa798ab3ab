#include "domain/filter/filter.hpp"

#include "domain/filter/compiler.hpp"
#include "domain/filter/token.hpp"

namespace waybill::domain {

FilterResult compile_filter(std::string_view text, const RecordType& type, int first_param,
                            std::string_view business) {
  try {
    if (odata::is_blank(text)) return SqlFragment{"true", {}};
    return odata::compile_expression(odata::parse_expression(text, type), type, first_param, business);
  } catch (const odata::SyntaxError& error) {
    return FilterError{odata::error_sentence(error, text)};
  }
}

std::string own_value_of_tag(const std::string& text) { return "'t' || lower(" + text + ")"; }

std::string own_value_of_reference(const std::string& text) { return "'r' || " + text; }

}  // namespace waybill::domain
