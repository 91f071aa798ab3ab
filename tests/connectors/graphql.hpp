#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace waybill::tests {

/// As much of GraphQL (October 2021) as a simulator needs to answer exactly what was asked for: operations
/// with variables, arguments, aliases and fragments; objects, lists, and connections with nodes, edges and
/// cursors.
struct GraphqlField {
  std::string key;  // the alias, or the name
  std::string name;
  json::object arguments;  // with the variables' values
  std::vector<GraphqlField> selection;
};
using GraphqlSelection = std::vector<GraphqlField>;

struct GraphqlOperation {
  std::string kind;  // "query" or "mutation"
  std::string name;
  GraphqlSelection selection;
};

/// What makes a document invalid: an entry of `errors`.
class GraphqlError : public std::runtime_error {
 public:
  explicit GraphqlError(const std::string& message, json::object extensions = {})
      : std::runtime_error(message), extensions_(std::move(extensions)) {}
  json::object entry() const { return {{"message", what()}, {"extensions", extensions_}}; }

 private:
  json::object extensions_;
};

/// The only operation of a document. Throws GraphqlError.
GraphqlOperation parse_graphql(std::string_view document, const json::object& variables);

/// Types and their fields: lines of `Type: scalar object:Type list[Type connection@Type`. A type whose name
/// ends in "Payload" is what a mutation gives.
class GraphqlSchema {
 public:
  struct Field {
    char kind = ' ';  // ' ' scalar, ':' object, '[' list, '@' connection
    std::string type;
  };

  explicit GraphqlSchema(std::string_view text);
  /// Throws GraphqlError (undefinedField).
  const Field& field(const std::string& type, const std::string& name) const;

  /// Checks a selection, and gives what it costs at most: an object 1, a mutation 10, a connection 2, each
  /// times the `first` around it. Throws GraphqlError.
  double cost(const GraphqlSelection& selection, const std::string& type) const;

 private:
  double field_cost(const GraphqlField& asked, const Field& known) const;
  double connection_cost(const GraphqlField& asked, const std::string& node) const;

  std::map<std::string, std::map<std::string, Field>> types_;
};

/// The nodes of a connection that a page shows.
struct GraphqlPage {
  std::vector<const json::object*> nodes;
  std::vector<std::string> cursors;  // as many
  bool more = false;
};

/// Takes what was asked for, and nothing else, out of whole records.
class GraphqlProjection {
 public:
  /// `denied`: "Type.field" and the right that is missing for it; such fields are null, with an error.
  GraphqlProjection(const GraphqlSchema& schema, std::map<std::string, std::string> denied)
      : schema_(schema), denied_(std::move(denied)) {}

  json::value take(const GraphqlField& asked, const GraphqlSchema::Field& known, const json::value& value);
  json::value take_page(const GraphqlField& asked, const std::string& node, const GraphqlPage& page);

  double cost() const { return cost_; }  // of what was there
  json::array& errors() { return errors_; }

 private:
  json::value take_object(const GraphqlSelection& selection, const std::string& type,
                          const json::object& from);
  json::value take_list(const GraphqlField& asked, const std::string& type, const json::array& from);

  const GraphqlSchema& schema_;
  std::map<std::string, std::string> denied_;
  json::array path_;
  json::array errors_;
  double cost_ = 0;
};

/// How many a field asks for.
std::size_t graphql_first(const GraphqlField& asked);

}  // namespace waybill::tests
