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

/// The part of GraphQL (October 2021) that a simulator needs: operations with variables, arguments, aliases
/// and fragments; objects, lists, and connections with nodes, edges and cursors.
struct GraphqlField {
  std::string key;  // alias, otherwise the name
  std::string name;
  json::object arguments;  // with the values of variables
  std::vector<GraphqlField> selection;
};
using GraphqlSelection = std::vector<GraphqlField>;

struct GraphqlOperation {
  std::string kind;  // "query" or "mutation"
  std::string name;
  GraphqlSelection selection;
};

/// The reason why a document is invalid: an entry of `errors`.
class GraphqlError : public std::runtime_error {
 public:
  explicit GraphqlError(const std::string& message, json::object extensions = {})
      : std::runtime_error(message), extensions_(std::move(extensions)) {}
  json::object entry() const { return {{"message", what()}, {"extensions", extensions_}}; }

 private:
  json::object extensions_;
};

/// Parses the only operation of a document. Throws GraphqlError.
GraphqlOperation parse_graphql(std::string_view document, const json::object& variables);

/// Types and their fields: lines of `Type: scalar object:Type list[Type connection@Type`. The name of a
/// mutation's result type ends in "Payload".
class GraphqlSchema {
 public:
  struct Field {
    char kind = ' ';  // ' ' scalar, ':' object, '[' list, '@' connection
    std::string type;
  };

  explicit GraphqlSchema(std::string_view text);
  /// Throws GraphqlError (undefinedField).
  const Field& field(const std::string& type, const std::string& name) const;

  /// Checks a selection and returns its maximum cost: an object 1, a mutation 10, a connection 2, each times
  /// the enclosing `first`. Throws GraphqlError.
  double cost(const GraphqlSelection& selection, const std::string& type) const;

 private:
  double field_cost(const GraphqlField& requested, const Field& known) const;
  double connection_cost(const GraphqlField& requested, const std::string& node) const;

  std::map<std::string, std::map<std::string, Field>> types_;
};

/// The nodes of a connection on one page.
struct GraphqlPage {
  std::vector<const json::object*> nodes;
  std::vector<std::string> cursors;  // one for each node
  bool more = false;
};

/// Selects the requested fields from whole records.
class GraphqlProjection {
 public:
  /// `denied` has pairs of "Type.field" and the missing permission; such fields are null, with an error.
  GraphqlProjection(const GraphqlSchema& schema, std::map<std::string, std::string> denied)
      : schema_(schema), denied_(std::move(denied)) {}

  json::value take(const GraphqlField& requested, const GraphqlSchema::Field& known,
                   const json::value& value);
  json::value take_page(const GraphqlField& requested, const std::string& node, const GraphqlPage& page);

  double cost() const { return cost_; }  // cost of the returned data
  json::array& errors() { return errors_; }

 private:
  json::value take_object(const GraphqlSelection& selection, const std::string& type,
                          const json::object& from);
  json::value take_list(const GraphqlField& requested, const std::string& type, const json::array& from);

  const GraphqlSchema& schema_;
  std::map<std::string, std::string> denied_;
  json::array path_;
  json::array errors_;
  double cost_ = 0;
};

/// The number of nodes that a field requests.
std::size_t graphql_first(const GraphqlField& requested);

}  // namespace waybill::tests
