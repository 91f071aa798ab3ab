#include "domain/conditions/conditions.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "domain/conditions/comparison.hpp"

namespace waybill::domain {
namespace {

constexpr std::size_t max_shown_bytes = 1024UL * 1024;  // of the values in one explanation

bool any_element_meets(const std::vector<Conditions::Node>& comparisons, const Subject& subject,
                       WorkBudget& budget) {
  const Target& target = comparisons.front().comparison->target();
  return any_value(target, subject, target.previous, [&](const json::value* value) {
    return std::ranges::all_of(comparisons,
                               [&](const auto& node) { return node.comparison->test(value, budget); });
  });
}

/// The result has no meaning once the budget is exceeded. Each comparison then returns at once.
bool holds(const Conditions::Node& node, const Subject& subject, WorkBudget& budget) {
  const auto child_holds = [&](const Conditions::Node& child) { return holds(child, subject, budget); };
  switch (node.kind) {
    case Conditions::Node::Kind::comparison:
      return node.comparison->holds(subject, budget);
    case Conditions::Node::Kind::all:
      return std::ranges::all_of(node.children, child_holds);
    case Conditions::Node::Kind::any:
      return std::ranges::any_of(node.children, child_holds);
    case Conditions::Node::Kind::negation:
      return !child_holds(node.children.front());
    case Conditions::Node::Kind::element:
      return any_element_meets(node.children, subject, budget);
  }
  return false;
}

void explain_into(std::vector<ConditionResult>& results, const Conditions::Node& node, const Subject& subject,
                  WorkBudget& budget, WorkBudget& shown) {
  if (node.comparison != nullptr) results.push_back(node.comparison->explain(subject, budget, shown));
  const auto first = static_cast<std::ptrdiff_t>(results.size());
  for (const auto& child : node.children) explain_into(results, child, subject, budget, shown);
  if (node.kind != Conditions::Node::Kind::element) return;
  // If each comparison holds for some element but no element meets them all, none is shown as holding.
  const std::span own(results.begin() + first, results.end());
  if (!holds(node, subject, budget) && std::ranges::all_of(own, &ConditionResult::holds)) {
    for (ConditionResult& result : own) result.holds = false;
  }
}

/// As explain_into, but for the results alone.
void hold_into(std::vector<bool>& held, const Conditions::Node& node, const Subject& subject,
               WorkBudget& budget) {
  if (node.comparison != nullptr) held.push_back(node.comparison->holds(subject, budget));
  const std::size_t first = held.size();
  for (const auto& child : node.children) hold_into(held, child, subject, budget);
  if (node.kind != Conditions::Node::Kind::element) return;
  const auto begin = held.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::find(begin, held.end(), false) == held.end() && !holds(node, subject, budget))
    std::fill(begin, held.end(), false);
}

}  // namespace

Conditions::Conditions() : Conditions(std::make_shared<Node>()) {}

Conditions::Conditions(std::shared_ptr<const Node> root) : root_(std::move(root)) {}

Verdict Conditions::judge(const Subject& subject, WorkBudget& budget) const {
  const bool result = holds(*root_, subject, budget);
  if (budget.is_exceeded()) return Verdict::too_much_work;
  return result ? Verdict::hold : Verdict::fail;
}

Verdict Conditions::judge(const Subject& subject) const {
  WorkBudget budget(max_condition_work);
  return judge(subject, budget);
}

std::vector<ConditionResult> Conditions::explain(const Subject& subject) const {
  WorkBudget budget(max_condition_work);
  return explain(subject, budget);
}

std::vector<ConditionResult> Conditions::explain(const Subject& subject, WorkBudget& budget) const {
  std::vector<ConditionResult> results;
  WorkBudget shown(max_shown_bytes);
  explain_into(results, *root_, subject, budget, shown);
  return results;
}

std::vector<bool> Conditions::held(const Subject& subject, WorkBudget& budget) const {
  std::vector<bool> held;
  hold_into(held, *root_, subject, budget);
  if (budget.is_exceeded()) held.assign(held.size(), false);
  return held;
}

std::vector<ConditionResult> Conditions::comparisons() const {
  WorkBudget none(0);
  none.take(1);
  const json::object nothing;
  return explain({nothing, nothing, false}, none);
}

bool Conditions::reads_relatives() const { return root_->reads_relatives; }

Verdict judge(const Conditions& conditions, const Subject& subject, WorkBudget& share) {
  WorkBudget own(max_condition_work);
  const Verdict verdict = conditions.judge(subject, own);
  // One unit more, so that conditions that need too much work exceed a share of the same size.
  share.take(max_condition_work - own.left() + 1);
  return verdict;
}

}  // namespace waybill::domain
