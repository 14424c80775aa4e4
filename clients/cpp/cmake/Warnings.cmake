# For code that people wrote; generated code is compiled without it and included as a system's.
add_library(memoryd_warnings INTERFACE)
target_compile_options(memoryd_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
