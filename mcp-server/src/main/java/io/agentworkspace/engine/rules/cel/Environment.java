package io.agentworkspace.engine.rules.cel;

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
 * The part of CEL that rules have. Nothing in it makes a text or a list longer than those of the request, nothing loops
 * without a bound, and nothing reaches outside of the variables.
 */
final class Environment {
    static final int MAX_LENGTH = 4_000;

    /** How many nodes of the expression an evaluation visits at most. */
    static final int MAX_STEPS = 5_000;

    /** How many parts a regular expression has at most, when its repetitions are written out. */
    static final int MAX_PATTERN = 2_000;

    private static final int MAX_NODES = 500;
    private static final int MAX_DEPTH = 40;

    private static final Set<StandardFunction> LEFT_OUT = Set.of(
            // Ours, which count what they cost.
            StandardFunction.CONTAINS,
            StandardFunction.MATCHES,
            // Would make texts, or leave the types behind.
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

    /** The functions that notes offer. */
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
