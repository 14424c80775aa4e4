# For handwritten code. Generated code is compiled without it, and its headers are system headers.
add_library(memoryd_warnings INTERFACE)
target_compile_options(memoryd_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
