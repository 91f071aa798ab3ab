#pragma once

#include <string>
#include <string_view>

namespace waybill::documents {

/// The plain characters that one stands for: its normalization form KC (Unicode Standard Annex 15), or the
/// letter or number in a black circle or square. Empty if it stands for none but itself. Pure.
std::string plain_characters(char32_t character);

/// Returns `text` as it is printed on one line. Bytes that are not UTF-8 become U+FFFD.
/// - White space and control characters become single spaces, with none at the ends.
/// - Characters that no font has become the plain characters that they stand for, such as "A" for a
///   mathematical A, and so do letters and words in squares and circles among the emoji.
/// - Other emoji, private characters, and signs that no font has become spaces: they do not help a delivery.
/// - A circle or key around a character, which no font has, is dropped.
/// - Invisible characters are dropped, except those that shape letters or allow a line to end. So are the
///   controls of the writing direction, which could reorder an address, and more than 8 marks on one letter.
/// Throws MissingFont (label.hpp) if no font has a letter, digit or mark. Any thread.
std::string printable_text(std::string_view text);

/// True if `text`, which is valid UTF-8, has more than blanks (base/blanks.hpp) and nothing of it is printed,
/// such as emoji alone. Throws like printable_text. Any thread.
bool is_left_out(std::string_view text);

}  // namespace waybill::documents
