package io.agentworkspace.engine.identity.rules.cel;

import dev.cel.checker.CelStandardDeclarations;
import dev.cel.checker.CelStandardDeclarations.StandardFunction;
import dev.cel.checker.CelStandardDeclarations.StandardFunction.Overload.Arithmetic;
import dev.cel.common.CelOptions;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelStandardFunctions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The subset of CEL that rules can use. No function creates a text or list longer than those of the request, no loop is
 * unbounded, and nothing is accessible except the variables.
 */
final class Environment {
    static final int MAX_LENGTH = 4_000;

    /** The maximum number of expression nodes that an evaluation visits. */
    static final int MAX_STEPS = 5_000;

    /** The maximum number of parts of a regular expression whose repetitions are written out. */
    static final int MAX_PATTERN = 2_000;

    private static final int MAX_NODES = 500;
    private static final int MAX_DEPTH = 40;

    private static final Set<StandardFunction> LEFT_OUT = Set.of(
            // Replaced by our own, which charge their cost.
            StandardFunction.CONTAINS,
            StandardFunction.MATCHES,
            // Would create texts, or bypass the types.
            StandardFunction.STRING,
            StandardFunction.BYTES,
            StandardFunction.DYN,
            StandardFunction.TYPE,
            StandardFunction.BOOL,
            StandardFunction.UINT);

    private static final Set<Arithmetic> LENGTHENING =
            Set.of(Arithmetic.ADD_STRING, Arithmetic.ADD_BYTES, Arithmetic.ADD_LIST);

    private static final CelOptions OPTIONS = CelOptions.current()
            .maxExpressionCodePointSize(MAX_LENGTH)
            .maxParseRecursionDepth(MAX_DEPTH)
            .maxParseExpressionNodeCount(MAX_NODES)
            .comprehensionMaxIterations(MAX_STEPS)
            .enableHeterogeneousNumericComparisons(true)
            .enableUnknownTracking(true)
            .build();

    final Functions functions = new Functions();
    final CelCompiler compiler = compiler();
    final CelRuntime runtime = CelRuntimeFactory.plannerRuntimeBuilder()
            .setOptions(OPTIONS)
            .setTypeProvider(Variables.provider())
            .setStandardFunctions(CelStandardFunctions.newBuilder()
                    .excludeFunctions(
                            CelStandardFunctions.StandardFunction.CONTAINS,
                            CelStandardFunctions.StandardFunction.MATCHES)
                    .build())
            .addFunctionBindings(functions.bindings())
            .build();

    private CelCompiler compiler() {
        var builder = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(CelStandardDeclarations.newBuilder()
                        .filterFunctions(
                                (function, overload) -> !LEFT_OUT.contains(function) && !LENGTHENING.contains(overload))
                        .build())
                .setStandardMacros(
                        CelStandardMacro.HAS,
                        CelStandardMacro.ALL,
                        CelStandardMacro.EXISTS,
                        CelStandardMacro.EXISTS_ONE)
                .setTypeProvider(Variables.provider())
                .addFunctionDeclarations(functions.declarations())
                .setResultType(SimpleType.BOOL);
        Variables.types().forEach(builder::addVar);
        return builder.build();
    }

    /** Returns the functions that notes suggest. */
    List<String> functionNames() {
        return Stream.concat(
                        functions.declarations().stream().map(declaration -> declaration.name()),
                        Stream.of(
                                "startsWith",
                                "endsWith",
                                "size",
                                "has",
                                "exists",
                                "exists_one",
                                "all",
                                "int",
                                "duration",
                                "timestamp",
                                "getHours",
                                "getDayOfWeek",
                                "getDate",
                                "getMonth",
                                "getFullYear",
                                "getMinutes"))
                .toList();
    }
}
