#!/bin/sh
# Called by cargo in the compiler's place (RUSTC_WRAPPER): counts coverage in this program and the targets alone, so that what
# they depend on is that of every other build.
case " $* " in
*" --crate-name feedbackd "* | *" tests/fuzz/targets/"* | *" targets/"*)
    exec "$@" --cfg fuzzing -C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=4 \
        -C llvm-args=-sanitizer-coverage-inline-8bit-counters -C llvm-args=-sanitizer-coverage-pc-table \
        -C llvm-args=-sanitizer-coverage-trace-compares
    ;;
esac
exec "$@"
