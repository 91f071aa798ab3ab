#include "domain/conditions/conditions.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "domain/conditions/comparison.hpp"

namespace waybill::domain {
namespace {

bool any_element_meets(const std::vector<Conditions::Node>& comparisons, const Subject& subject) {
  const Target& target = comparisons.front().comparison->target();
  return any_value(target, subject, target.previous, [&](const json::value* value) {
    return std::ranges::all_of(comparisons, [&](const auto& node) { return node.comparison->test(value); });
  });
}

bool holds(const Conditions::Node& node, const Subject& subject) {
  const auto child_holds = [&](const Conditions::Node& child) { return holds(child, subject); };
  switch (node.kind) {
    case Conditions::Node::Kind::comparison:
      return node.comparison->holds(subject);
    case Conditions::Node::Kind::all:
      return std::ranges::all_of(node.children, child_holds);
    case Conditions::Node::Kind::any:
      return std::ranges::any_of(node.children, child_holds);
    case Conditions::Node::Kind::negation:
      return !child_holds(node.children.front());
    case Conditions::Node::Kind::element:
      return any_element_meets(node.children, subject);
  }
  return false;
}

void explain_into(std::vector<ConditionResult>& results, const Conditions::Node& node,
                  const Subject& subject) {
  if (node.comparison != nullptr) results.push_back(node.comparison->explain(subject));
  const auto first = static_cast<std::ptrdiff_t>(results.size());
  for (const auto& child : node.children) explain_into(results, child, subject);
  if (node.kind != Conditions::Node::Kind::element) return;
  // Some element meets each comparison, but none meets them all.
  const std::span own(results.begin() + first, results.end());
  if (!holds(node, subject) && std::ranges::all_of(own, &ConditionResult::holds)) {
    for (ConditionResult& result : own) result.holds = false;
  }
}

}  // namespace

Conditions::Conditions() : Conditions(std::make_shared<Node>()) {}

Conditions::Conditions(std::shared_ptr<const Node> root) : root_(std::move(root)) {}

bool Conditions::evaluate(const Subject& subject) const { return holds(*root_, subject); }

std::vector<ConditionResult> Conditions::explain(const Subject& subject) const {
  std::vector<ConditionResult> results;
  explain_into(results, *root_, subject);
  return results;
}

bool Conditions::reads_relatives() const { return root_->reads_relatives; }

}  // namespace waybill::domain
