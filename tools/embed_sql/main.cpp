// Turns the SQL of a folder into C++: embed_sql SOURCE OUTPUT, where SOURCE is storage/ and OUTPUT the folder
// of the generated files. storage/sql/FOLDER/NAME.sql becomes the struct waybill::storage::sql::FOLDER::Name
// in OUTPUT/sql/FOLDER.sql.hpp, with the parameters, columns and way to run that the file's head
// declares (CONTRIBUTING.md); storage/migrations/*.sql becomes the list waybill::storage::migrations(). Lists
// of the columns of records come from their tables (columns.hpp).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/embed_sql/columns.hpp"

namespace {

namespace fs = std::filesystem;

/// A parameter or column.
struct Value {
  std::string name;
  std::string type;  // PostgreSQL's name
  bool nullable = false;
  std::string remark;
};

struct Statement {
  std::string folder;
  std::string name;
  std::string text;
  std::vector<std::string> description;
  std::vector<Value> params;
  std::vector<Value> columns;
  bool more_columns = false;
  bool is_long = false;
  // The statements of the same folder with which it runs; empty if there are none.
  std::string merged, shared, drawn;
};

[[noreturn]] void fail(const fs::path& file, const std::string& message) {
  throw std::runtime_error(file.string() + ": " + message);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Leaves an unchanged file untouched, so that files that include it are not compiled again.
void write_file(const fs::path& path, const std::string& text) {
  if (fs::exists(path) && read_file(path) == text) return;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<fs::path> sorted_files(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Resolves psql's \ir, which includes text that several statements share.
std::string with_included_files(const fs::path& path) {
  std::istringstream lines(read_file(path));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("\\ir ")) {
      text += with_included_files(path.parent_path() / line.substr(4));
    } else {
      text += line + '\n';
    }
  }
  return text;
}

std::string text_of(const fs::path& file) {
  try {
    return waybill::embed_sql::with_columns(with_included_files(file));
  } catch (const std::exception& error) {
    fail(file, error.what());
  }
}

/// Reads "name type", "name type or null", "name type or null (remark)".
Value parse_value(const fs::path& file, const std::string& text) {
  static const std::regex form(R"(([a-z][a-z0-9_]*) ([a-z0-9_]+(?:\[\])?)( or null)?(?: \((.*)\))?)");
  std::smatch match;
  if (!std::regex_match(text, match, form)) fail(file, "expected \"name type [or null]\", found: " + text);
  return {match[1], match[2], match[3].matched, match[4]};
}

/// Splits at the commas outside of parentheses.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

void parse_params(const fs::path& file, const std::string& text, Statement& statement) {
  for (const std::string& part : split(text)) {
    const std::string number = "$" + std::to_string(statement.params.size() + 1) + " ";
    if (!part.starts_with(number))
      fail(file, std::string("expected ").append(number).append("found: ").append(part));
    statement.params.push_back(parse_value(file, part.substr(number.size())));
  }
}

void parse_columns(const fs::path& file, const std::string& text, Statement& statement) {
  for (const std::string& part : split(text)) {
    if (statement.more_columns) fail(file, "... must be last");
    if (part == "...") {
      statement.more_columns = true;
    } else {
      statement.columns.push_back(parse_value(file, part));
    }
  }
}

/// Reads how Database runs a statement: "long", "merged by NAME", "shared", "shared by NAME" or "shared,
/// drawn by NAME".
void parse_runs(const fs::path& file, const std::string& text, Statement& statement) {
  static const std::regex form("(long)|merged by ([a-z_]+)|(shared)(?: by ([a-z_]+)|, drawn by ([a-z_]+))?");
  std::smatch match;
  if (!std::regex_match(text, match, form)) fail(file, "unknown way to run: " + text);
  statement.is_long = match[1].matched;
  statement.merged = match[2];
  if (match[3].matched) statement.shared = match[4].matched ? match[4].str() : statement.name;
  statement.drawn = match[5];
}

/// Reads the comment at the head of a file: the description, how it runs ("-- runs: …"), the parameters
/// ("-- $1 …"), then the columns ("-- -> …").
void parse_head(const fs::path& file, Statement& statement) {
  std::istringstream lines(read_file(file));
  std::string params, columns;
  std::string* part = nullptr;
  for (std::string line; std::getline(lines, line) && line.starts_with("-- ");) {
    line.erase(0, 3);
    if (line.starts_with("runs: ")) {
      parse_runs(file, line.substr(6), statement);
      continue;
    }
    if (line.starts_with("$1 ")) part = &params;
    if (line.starts_with("-> ")) {
      part = &columns;
      line.erase(0, 3);
    }
    if (part == nullptr) {
      statement.description.push_back(line);
    } else {
      *part += (part->empty() ? "" : " ") + line;
    }
  }
  if (statement.description.empty()) fail(file, "has no description");
  if (!params.empty()) parse_params(file, params, statement);
  if (!columns.empty()) parse_columns(file, columns, statement);
}

/// Converts a statement's name to that of its struct: get_by_code to GetByCode.
std::string type_name(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
    } else {
      out += upper ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return out;
}

/// The types with a C++ type; all others are text.
const std::map<std::string, std::string, std::less<>> scalar_types = {
    {"uuid", "Guid"},        {"boolean", "bool"},        {"smallint", "std::int16_t"},
    {"int", "std::int32_t"}, {"bigint", "std::int64_t"}, {"timestamptz", "Time"},
    {"float8", "double"},    {"real", "double"},
};

std::string param_type(const Value& value) {
  if (value.type.ends_with("[]")) {
    const auto found = scalar_types.find(value.type.substr(0, value.type.size() - 2));
    return "Array<" + (found == scalar_types.end() ? "std::string_view" : found->second) + ">";
  }
  if (value.type == "bytea") return "Bytea";
  const auto found = scalar_types.find(value.type);
  return found == scalar_types.end() ? "std::string_view" : found->second;
}

std::string column_type(const Value& value) {
  if (value.type == "bytea") return "Bytes";
  const auto found = scalar_types.find(value.type);
  return found == scalar_types.end() ? "std::string_view" : found->second;
}

std::string remark(const Value& value) { return value.remark.empty() ? "" : "  // " + value.remark; }

std::string declaration(const Statement& statement) {
  std::string out;
  for (const std::string& line : statement.description) out += "/// " + line + "\n";
  out += "struct " + type_name(statement.name) + " {\n";
  for (const Value& param : statement.params) {
    const std::string type = param_type(param);
    out += "  " + (param.nullable ? "std::optional<" + type + ">" : "Required<" + type + ">") + " " +
           param.name + (param.nullable ? " = std::nullopt" : "") + ";" + remark(param) + "\n";
  }
  if (!statement.params.empty()) out += "\n";
  if (statement.is_long) out += "  static constexpr bool is_long = true;\n";
  for (const auto& [member, name] :
       {std::pair{"Merged", statement.merged}, std::pair{"Shared", statement.shared},
        std::pair{"Drawn", statement.drawn}})
    if (!name.empty()) out += "  using " + std::string(member) + " = " + type_name(name) + ";\n";
  out += "  static const Statement statement;\n  Params params() const;\n";
  if (!statement.columns.empty()) {
    out +=
        "\n  struct Row {\n    template <typename Source>\n    explicit Row(const RowOf<Source>& row)\n      "
        "  : ";
    for (std::size_t i = 0; i < statement.columns.size(); ++i) {
      const Value& column = statement.columns[i];
      out += (i == 0 ? "" : ",\n          ") + column.name + "(read_column<decltype(" + column.name +
             ")>(row, " + std::to_string(i) + "))";
    }
    out += " {}\n\n";
    for (const Value& column : statement.columns) {
      const std::string type = column_type(column);
      out += "    " + (column.nullable ? "std::optional<" + type + ">" : type) + " " + column.name + ";" +
             remark(column) + "\n";
    }
    out += "  };\n";
  }
  return out + "};\n";
}

std::string values(const std::vector<Value>& values, const std::string& name) {
  if (values.empty()) return "";
  std::string out = "constexpr SqlValue " + name + "[] = {";
  for (const Value& value : values) out += "{\"" + value.name + "\", \"" + value.type + "\"}, ";
  return out + "};\n";
}

std::string definition(const Statement& statement) {
  const std::string type = type_name(statement.name);
  const std::string prefix = statement.name;
  std::string out = "namespace {\n" + values(statement.params, prefix + "_params") +
                    values(statement.columns, prefix + "_columns") + "}  // namespace\n";
  out += "const Statement " + type + "::statement{\"" + statement.folder + "." + statement.name +
         "\", R\"sql(" + statement.text + ")sql\", " +
         (statement.params.empty() ? "{}" : prefix + "_params") + ", " +
         (statement.columns.empty() ? "{}" : prefix + "_columns") + ", " +
         (statement.more_columns ? "true" : "false") + "};\n";
  out += "Params " + type + "::params() const {\n  Params all;\n";
  for (const Value& param : statement.params) out += "  add_param(all, " + param.name + ");\n";
  return out + "  return all;\n}\n";
}

constexpr std::string_view notice = "// Made by tools/embed_sql.\n";

void write_folder(const fs::path& output, const std::string& folder,
                  const std::vector<Statement>& statements) {
  std::string header(notice), source(notice);
  header +=
      "#pragma once\n\n#include <cstdint>\n#include <optional>\n#include <string_view>\n\n"
      "#include \"storage/statement/statement.hpp\"\n#include \"storage/statement/typed_params.hpp\"\n"
      "#include \"storage/statement/typed_rows.hpp\"\n\nnamespace waybill::storage::sql::" +
      folder + " {\n";
  source += "#include \"storage/sql/" + folder +
            ".sql.hpp\"\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
            "namespace waybill::storage::sql::" +
            folder + " {\n";
  std::set<std::string> named;
  for (const Statement& statement : statements) {
    for (const auto& name : {statement.merged, statement.shared, statement.drawn})
      if (!name.empty()) named.insert(type_name(name));
  }
  for (const auto& name : named) header += "\nstruct " + name + ";";
  if (!named.empty()) header += '\n';
  for (const Statement& statement : statements) {
    header += "\n" + declaration(statement);
    source += "\n" + definition(statement);
  }
  const std::string end = "\n}  // namespace waybill::storage::sql::" + folder + "\n";
  write_file(output / "sql" / (folder + ".sql.hpp"), header + end);
  write_file(output / "sql" / (folder + ".cpp"), source + end);
}

void write_lists(const fs::path& source_folder, const fs::path& output,
                 const std::map<std::string, std::vector<Statement>>& folders) {
  std::string source(notice), list;
  for (const auto& [folder, members] : folders) {
    source += "#include \"storage/sql/" + folder + ".sql.hpp\"\n";
    for (const Statement& member : members) {
      list += "    &sql::" + folder + "::" + type_name(member.name) + "::statement,\n";
    }
  }
  std::string migrations;
  for (const fs::path& file : sorted_files(source_folder / "migrations", ".sql")) {
    migrations += "    {\"" + file.stem().string() + "\", R\"sql(" + read_file(file) + ")sql\"},\n";
  }
  source +=
      "#include \"storage/statement/statement_list.hpp\"\n\n#pragma GCC diagnostic ignored "
      "\"-Woverlength-strings\"\n\n"
      "namespace waybill::storage {\nnamespace {\n\nconst Statement* const statement_list[] = {\n" +
      list + "};\n\nconst Statement migration_list[] = {\n" + migrations +
      "};\n\n}  // namespace\n\nstd::span<const Statement* const> all_statements() { return statement_list; "
      "}\n"
      "std::span<const Statement> migrations() { return migration_list; }\n\n}  // namespace "
      "waybill::storage\n";
  write_file(output / "statements.cpp", source);
}

std::string types_of(const std::vector<Value>& values, std::string_view suffix = "") {
  std::string types;
  for (const Value& value : values) types.append(value.type).append(suffix).append(" ");
  return types;
}

/// Checks the parameters of the statements with which one runs (storage/database/database.hpp).
void check_runs(const fs::path& folder, const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    const auto file = folder / (statement.name + ".sql");
    const auto check = [&](const std::string& name, const auto& is_right) {
      if (name.empty()) return;
      const auto found = std::ranges::find(statements, name, &Statement::name);
      if (found == statements.end()) fail(file, "there is no " + name + ".sql");
      if (!is_right(types_of(found->params)))
        fail(file, name + ".sql has other parameters than it must have");
    };
    if (statement.is_long && (statement.params.empty() || statement.params[0].name != "business"))
      fail(file, "a long statement's first parameter is the business");
    check(statement.merged, [&](const auto& types) { return types == types_of(statement.params, "[]"); });
    check(statement.shared, [&](const auto& types) {
      const std::string_view drawn = statement.drawn.empty() ? "" : "text ";
      return types == "uuid json " + std::string(drawn) || types == "uuid jsonb " + std::string(drawn);
    });
    check(statement.drawn, [](const auto& types) { return types == "uuid bigint "; });
  }
}

void run(const fs::path& source, const fs::path& output) {
  std::map<std::string, std::vector<Statement>> folders;
  for (const auto& folder : fs::directory_iterator(source / "sql")) {
    auto& statements = folders[folder.path().filename().string()];
    for (const fs::path& file : sorted_files(folder.path(), ".sql")) {
      Statement statement{
          .folder = folder.path().filename().string(), .name = file.stem().string(), .text = text_of(file)};
      parse_head(file, statement);
      statements.push_back(std::move(statement));
    }
    check_runs(folder.path(), statements);
  }
  for (const auto& [folder, statements] : folders) write_folder(output, folder, statements);
  write_lists(source, output, folders);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 3) throw std::runtime_error("usage: embed_sql SOURCE OUTPUT");
    run(arguments[1], arguments[2]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "embed_sql: " << error.what() << '\n';
    return 1;
  }
}
