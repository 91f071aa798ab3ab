#include "tests/simulators/shopify/graphql.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/crypto.hpp"

namespace waybill::tests {
namespace {

constexpr double max_page_size = 250;

std::string position_cursor(std::size_t position) {
  const std::string text = "position:" + std::to_string(position);
  return base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::size_t position_after(const json::object& arguments) {
  const auto* const after = arguments.if_contains("after");
  if (after == nullptr || !after->is_string()) return 0;
  const auto bytes = base64_decode(std::string_view(after->get_string()));
  const std::string text = bytes ? std::string(bytes->begin(), bytes->end()) : std::string();
  if (!text.starts_with("position:")) throw GraphqlError("Invalid cursor for current pagination sort.");
  return std::stoul(text.substr(9)) + 1;
}

const GraphqlSelection& selection_of(const GraphqlField& field, const std::string& type) {
  if (field.selection.empty()) {
    throw GraphqlError(
        "Field must have selections (field '" + field.name + "' returns " + type + " but has no selections)",
        {{"code", "selectionMismatch"}});
  }
  return field.selection;
}

}  // namespace

std::size_t graphql_first(const GraphqlField& requested) {
  const auto* const first = requested.arguments.if_contains("first");
  if (first == nullptr || !first->is_number()) return 0;
  return first->to_number<std::size_t>();
}

GraphqlSchema::GraphqlSchema(std::string_view text) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string type;
    words >> type;
    if (type.empty()) continue;
    type.pop_back();  // the colon
    auto& fields = types_[type];
    for (std::string word; words >> word;) {
      const auto mark = word.find_first_of(":[@");
      const bool is_scalar = mark == std::string::npos;
      fields[word.substr(0, mark)] = {is_scalar ? ' ' : word[mark], is_scalar ? "" : word.substr(mark + 1)};
    }
  }
}

const GraphqlSchema::Field& GraphqlSchema::field(const std::string& type, const std::string& name) const {
  const auto& fields = types_.at(type);
  const auto found = fields.find(name);
  if (found == fields.end()) {
    throw GraphqlError("Field '" + name + "' doesn't exist on type '" + type + "'",
                       {{"code", "undefinedField"}, {"typeName", type}, {"fieldName", name}});
  }
  return found->second;
}

double GraphqlSchema::cost(const GraphqlSelection& selection, const std::string& type) const {
  double sum = 0;
  for (const auto& requested : selection) {
    if (requested.name != "__typename") sum += field_cost(requested, field(type, requested.name));
  }
  return sum;
}

double GraphqlSchema::field_cost(const GraphqlField& requested, const Field& known) const {
  switch (known.kind) {
    case ':':
      return cost(selection_of(requested, known.type), known.type) +
             (known.type.ends_with("Payload") ? 10 : 1);
    case '[': {
      const double each = 1 + cost(selection_of(requested, known.type), known.type);
      return each * static_cast<double>(std::max<std::size_t>(graphql_first(requested), 1));
    }
    case '@':
      return connection_cost(requested, known.type);
    default:
      if (!requested.selection.empty())
        throw GraphqlError("Field '" + requested.name + "' has no fields of its own");
      return 0;
  }
}

double GraphqlSchema::connection_cost(const GraphqlField& requested, const std::string& node) const {
  const auto first = static_cast<double>(graphql_first(requested));
  if (first < 1) throw GraphqlError("you must provide one of first or last", {{"code", "BAD_REQUEST"}});
  if (first > max_page_size) {
    throw GraphqlError("first cannot exceed 250", {{"code", "BAD_REQUEST"}});
  }
  double each = 1;
  for (const auto& part : selection_of(requested, node + "Connection")) {
    if (part.name == "nodes") each += cost(selection_of(part, node), node);
    if (part.name == "edges") {
      for (const auto& edge : part.selection) {
        if (edge.name == "node") each += cost(selection_of(edge, node), node);
      }
    }
    if (part.name != "nodes" && part.name != "edges" && part.name != "pageInfo") {
      throw GraphqlError("Field '" + part.name + "' doesn't exist on type '" + node + "Connection'",
                         {{"code", "undefinedField"}});
    }
  }
  return 2 + each * first;
}

json::value GraphqlProjection::take(const GraphqlField& requested, const GraphqlSchema::Field& known,
                                    const json::value& value) {
  if (value.is_null()) return nullptr;
  switch (known.kind) {
    case ':':
      cost_ += known.type.ends_with("Payload") ? 10 : 1;
      return take_object(requested.selection, known.type, value.as_object());
    case '[':
      return take_list(requested, known.type, value.as_array());
    case '@': {
      const auto& all = value.as_array();
      const std::size_t start = std::min(position_after(requested.arguments), all.size());
      const std::size_t end = std::min(start + graphql_first(requested), all.size());
      GraphqlPage page;
      for (std::size_t i = start; i < end; ++i) {
        page.nodes.push_back(&all[i].as_object());
        page.cursors.push_back(position_cursor(i));
      }
      page.more = end < all.size();
      return take_page(requested, known.type, page);
    }
    default:
      return value;
  }
}

json::value GraphqlProjection::take_object(const GraphqlSelection& selection, const std::string& type,
                                           const json::object& from) {
  json::object taken;
  for (const auto& requested : selection) {
    if (requested.name == "__typename") {
      taken[requested.key] = type;
      continue;
    }
    path_.emplace_back(requested.key);
    if (const auto right = denied_.find(type + "." + requested.name); right != denied_.end()) {
      errors_.push_back(json::object{
          {"message", "Access denied for " + requested.name + " field. Required access: " + right->second},
          {"path", path_},
          {"extensions", {{"code", "ACCESS_DENIED"}, {"requiredAccess", right->second}}}});
      taken[requested.key] = nullptr;
    } else {
      const auto* const value = from.if_contains(requested.name);
      taken[requested.key] =
          take(requested, schema_.field(type, requested.name), value != nullptr ? *value : json::value());
    }
    path_.pop_back();
  }
  return taken;
}

json::value GraphqlProjection::take_list(const GraphqlField& requested, const std::string& type,
                                         const json::array& from) {
  const std::size_t first = graphql_first(requested);
  json::array taken;
  for (const auto& item : from) {
    if (first > 0 && taken.size() == first) break;
    ++cost_;
    path_.emplace_back(taken.size());
    taken.push_back(take_object(requested.selection, type, item.as_object()));
    path_.pop_back();
  }
  return taken;
}

json::value GraphqlProjection::take_page(const GraphqlField& requested, const std::string& node,
                                         const GraphqlPage& page) {
  cost_ += 2;
  json::object taken;
  for (const auto& part : requested.selection) {
    if (part.name == "pageInfo") {
      const json::object info{
          {"hasNextPage", page.more},
          {"hasPreviousPage", requested.arguments.contains("after")},
          {"startCursor", page.cursors.empty() ? json::value() : json::value(page.cursors.front())},
          {"endCursor", page.cursors.empty() ? json::value() : json::value(page.cursors.back())}};
      taken[part.key] = take_object(part.selection, "PageInfo", info);
      continue;
    }
    json::array list;
    path_.emplace_back(part.key);
    for (std::size_t i = 0; i < page.nodes.size(); ++i) {
      path_.emplace_back(i);
      ++cost_;
      if (part.name == "nodes") {
        list.push_back(take_object(part.selection, node, *page.nodes[i]));
      } else {
        json::object edge;
        for (const auto& field : part.selection) {
          if (field.name == "cursor") edge[field.key] = page.cursors[i];
          if (field.name == "node") edge[field.key] = take_object(field.selection, node, *page.nodes[i]);
        }
        list.push_back(std::move(edge));
      }
      path_.pop_back();
    }
    path_.pop_back();
    taken[part.key] = std::move(list);
  }
  return taken;
}

}  // namespace waybill::tests
