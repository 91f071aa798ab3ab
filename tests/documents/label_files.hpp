#pragma once

#include <cstddef>
#include <string>
#include <vector>

// Labels as carriers make them, and as they never should.
namespace waybill::tests {

/// A PDF with pages of these widths, in points.
std::string pdf_of_pages(const std::vector<int>& widths);
/// The widths of a PDF's pages.
std::vector<int> page_widths(const std::string& pdf);
/// A PNG without a resolution.
std::string png_of(int width, int height);
/// A PDF whose owner restricts it.
std::string encrypted_pdf();

/// A PDF with a chain of so many objects, each of which leads to the next.
std::string deep_pdf(std::size_t objects);
/// A small PDF with an object stream of so many MiB.
std::string pdf_with_large_object_stream(std::size_t mebibytes);
/// A small PDF with a few bytes of contents, for which a reader decompresses so many MiB.
std::string pdf_with_nested_contents(std::size_t mebibytes);

}  // namespace waybill::tests
