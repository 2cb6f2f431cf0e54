package io.agentworkspace.engine.memory.embedding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;

/** Functions of the system's C library. */
final class CLibrary {
    private CLibrary() {}

    /** Sets a variable in the environment of this process, where native libraries read it. */
    static void setVariable(String name, String value) {
        try (var memory = Arena.ofConfined()) {
            var type = FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
            if (!call("setenv", type, memory.allocateFrom(name), memory.allocateFrom(value), 1)) {
                throw new IllegalStateException("the system has no environment");
            }
        }
    }

    /** Calls a function, and returns whether the library has it. */
    @SuppressWarnings("restricted")
    static boolean call(String name, FunctionDescriptor type, Object... arguments) {
        var linker = Linker.nativeLinker();
        var function = linker.defaultLookup().find(name);
        if (function.isEmpty()) {
            return false;
        }
        try {
            var _ = linker.downcallHandle(function.get(), type).invokeWithArguments(arguments);
            return true;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
