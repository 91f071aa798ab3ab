#pragma once

#include <istream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace waybill::app {

/// The text is no TOML of the kind read here; the message names the line.
class TomlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The part of TOML 1.0 that a flat list of settings needs: comments, `key = value` with bare keys, basic and
/// literal strings of one line, integers, booleans, and arrays of these (over several lines, too). A scalar
/// gives one text, an array any number. Tables, dates, floats and multi-line strings are errors, as is a key
/// given twice.
std::map<std::string, std::vector<std::string>, std::less<>> read_toml(std::istream& input);

}  // namespace waybill::app
