#include "api/records/selection.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "api/endpoint/paging.hpp"

namespace waybill::api {
namespace {

class SelectionReader {
 public:
  SelectionReader(const Call& call, const domain::RecordType& type) : call_(call), type_(type) {}

  Selection read() {
    narrow(filter_parameter.name, domain::compile_filter);
    narrow(search_parameter.name, domain::compile_search);
    selection_.is_searched = call_.parameter(search_parameter.name).has_value();
    const auto order = call_.parameter(order_by_parameter.name);
    if (auto* const fragment =
            accept(order_by_parameter.name, compiled_ = domain::compile_orderby(order.value_or(""), type_))) {
      selection_.order = std::move(fragment->text);
      selection_.order_join = std::move(fragment->join);
      selection_.joined_order = std::move(fragment->joined_text);
      selection_.has_computed_key = fragment->has_computed_key;
      selection_.keys = std::move(fragment->keys);
    }
    if (!errors_.empty()) throw invalid(std::move(errors_));
    return std::move(selection_);
  }

 private:
  template <typename Compile>
  void narrow(std::string_view name, Compile compile) {
    const auto text = call_.parameter(name);
    if (!text) return;
    auto* const fragment = accept(name, compiled_ = compile(*text, type_, next_param_, "$1"));
    if (fragment == nullptr) return;
    const bool is_first = !selection_.is_narrowed();
    selection_.uses_search_index = is_first && fragment->has_indexed_word;
    selection_.whole = is_first ? whole_of(*fragment) : Selection::Whole();
    // The filter is the first, and `$search` has no other text for scans.
    if (!fragment->text_for_scans.empty())
      selection_.where_for_scans = " and " + fragment->text_for_scans;
    else if (!selection_.where_for_scans.empty())
      selection_.where_for_scans += " and " + fragment->text;
    selection_.where += " and " + fragment->text;
    selection_.has_own_data = selection_.has_own_data || fragment->has_own_data;
    next_param_ += static_cast<int>(fragment->params.size());
    for (auto& param : fragment->params) selection_.params.push_back(std::move(param));
  }

  domain::SqlFragment* accept(std::string_view name, domain::FilterResult& result) {
    if (const auto* error = std::get_if<domain::FilterError>(&result)) {
      errors_.push_back({std::string(name), error->message});
    }
    return std::get_if<domain::SqlFragment>(&result);
  }

  const Call& call_;
  const domain::RecordType& type_;
  int next_param_ = first_list_param;
  domain::FilterResult compiled_;
  Selection selection_;
  FieldErrors errors_;
};

}  // namespace

Selection::Whole whole_of(const domain::SqlFragment& fragment) {
  return {.sole_column = fragment.sole_column,
          .is_of_status = fragment.is_of_status,
          .complement = fragment.complement.empty() ? std::string() : " and " + fragment.complement,
          .own_value = fragment.own_value};
}

Selection read_selection(const Call& call, const domain::RecordType& type) {
  return SelectionReader(call, type).read();
}

}  // namespace waybill::api
