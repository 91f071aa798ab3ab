#include <algorithm>
#include <utility>

#include "actions/records/label_step.hpp"
#include "base/joined_texts.hpp"
#include "storage/runs/run.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t most_narrowed = 100;  // carriers, or service codes
constexpr std::size_t longest_code = 200;
constexpr double largest_price = 1e12;  // not included

constexpr std::string_view choices[] = {"cheapest", "fastest"};
constexpr std::string_view formats[] = {"pdf", "zpl", "png"};
constexpr std::string_view label_members[] = {"serviceLevel", "choose",   "serviceCodes",
                                              "carrierIds",   "maxPrice", "format"};

bool is_price(const json::value& value) {
  const auto text = decimal_text(value);
  const double price = text ? value.to_number<double>() : 0;
  return price > 0 && price < largest_price && decimal_places(*text) <= 2;
}

std::string text_of(const json::object& request, std::string_view name) {
  const auto* const value = find_value(request, name);
  return value == nullptr ? std::string() : std::string(value->as_string());
}

/// Checks the configuration of a purchase and collects its errors.
class LabelChecker {
 public:
  LabelChecker(const json::object& definition, FieldErrors& errors)
      : definition_(definition), errors_(errors) {}

  json::object check() {
    for (const auto& member : definition_) {
      if (member.key() != "type" &&
          std::ranges::find(label_members, std::string_view(member.key())) == std::end(label_members))
        refuse(member.key(), "unknown field");
    }
    check_code("serviceLevel");
    check_one_of("choose", choices);
    check_list("serviceCodes", "codes of 1 to 200 characters",
               [](std::string_view text) { return !text.empty() && text.size() <= longest_code; });
    check_list("carrierIds", "guids", [](std::string_view text) { return Guid::parse(text).has_value(); });
    if (const auto* const price = find_value(definition_, "maxPrice"); price != nullptr && !is_price(*price))
      refuse("maxPrice", "must be above 0 and below 10^12, with at most two decimals");
    check_one_of("format", formats);
    check_choice();
    json::object stored{{"type", "buy_label"}};
    copy_members(definition_, label_members, stored);
    return stored;
  }

 private:
  void refuse(std::string_view field, std::string message) {
    errors_.push_back({"action." + std::string(field), std::move(message)});
  }

  void check_code(std::string_view name) {
    const auto* const value = find_value(definition_, name);
    if (value == nullptr) return;
    const auto* const text = value->if_string();
    if (text == nullptr || text->empty() || text->size() > longest_code)
      refuse(name, "must be a code of 1 to 200 characters");
  }

  template <std::size_t N>
  void check_one_of(std::string_view name, const std::string_view (&known)[N]) {
    const auto* const value = find_value(definition_, name);
    if (value == nullptr) return;
    const auto* const text = value->if_string();
    if (text != nullptr && std::ranges::find(known, std::string_view(*text)) != std::end(known)) return;
    refuse(name, "must be one of " + joined_texts(known));
  }

  template <typename IsValid>
  void check_list(std::string_view name, const char* kind, IsValid is_valid) {
    const auto* const value = find_value(definition_, name);
    if (value == nullptr) return;
    const auto* const list = value->if_array();
    if (list == nullptr || list->empty() || list->size() > most_narrowed) {
      refuse(name, std::string("must be an array of 1 to 100 ") + kind);
      return;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto* const text = (*list)[i].if_string();
      if (text == nullptr || !is_valid(std::string_view(*text)))
        refuse(std::string(name) + "[" + std::to_string(i) + "]", std::string("must be one of ") + kind);
    }
  }

  void check_choice() {
    if (find_value(definition_, "choose") != nullptr && find_value(definition_, "serviceLevel") != nullptr)
      refuse("serviceLevel", "must not be given with choose");
  }

  const json::object& definition_;
  FieldErrors& errors_;
};

/// Buys the label of the shipment, or joins its open or bought purchase, and waits until that is final.
class BuyLabel final : public Action {
 public:
  std::string_view type() const override { return "buy_label"; }

  json::object check(const json::object& definition, const CheckContext& context,
                     FieldErrors& errors) const override {
    check_has_label(type(), context, errors);
    return LabelChecker(definition, errors).check();
  }

  std::vector<NamedRecord> records(const json::object& definition) const override {
    std::vector<NamedRecord> named;
    if (const auto* const carriers = find_value(definition, "carrierIds")) {
      for (const json::value& carrier : carriers->as_array())
        named.push_back({NamedRecord::Kind::carrier, Guid::parse(carrier.as_string()).value()});
    }
    return named;
  }

  bool changes_records() const override { return true; }
  bool is_impersonal() const override { return true; }
  bool awaits_events() const override { return true; }

  std::vector<StepValue> values(const json::object& /*definition*/) const override { return label_values(); }

  Plan plan(const WorkflowView& workflow, const EventView& event) const override {
    Plan plan{.request = label_request(event), .body = {}};
    copy_members(workflow.action, label_members, plan.request);
    return plan;
  }

  std::string destination(const json::object&, const Guid& business) const override {
    return storage::change_destination(business);
  }

  void perform(const Attempt& attempt, Effects& effects, Finish finish) const override {
    const json::object& request = attempt.request;
    storage::LabelPurchase purchase{.step = label_step(attempt),
                                    .wish = {.service_level = text_of(request, "serviceLevel"),
                                             .choose = text_of(request, "choose"),
                                             .format = text_of(request, "format")}};
    if (const auto* const codes = find_value(request, "serviceCodes"))
      purchase.wish.service_codes = json::value_to<std::vector<std::string>>(*codes);
    if (const auto* const carriers = find_value(request, "carrierIds")) {
      for (const json::value& carrier : carriers->as_array())
        purchase.wish.carriers.push_back(Guid::parse(carrier.as_string()).value());
    }
    if (const auto* const price = find_value(request, "maxPrice"))
      purchase.wish.max_price = decimal_text(*price).value();
    finish({.outcome = std::move(purchase),
            .started_at = effects.clock.now(),
            .status_code = {},
            .response = {},
            .error = {}});
  }
};

}  // namespace

const Action& buy_label_action() {
  static const BuyLabel action;
  return action;
}

}  // namespace waybill::actions
