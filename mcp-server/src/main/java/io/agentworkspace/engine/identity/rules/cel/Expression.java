package io.agentworkspace.engine.identity.rules.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelValidationException;
import dev.cel.runtime.CelAttributePattern;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelUnknownSet;
import dev.cel.runtime.CelVariableResolver;
import dev.cel.runtime.PartialVars;
import dev.cel.runtime.Program;
import io.agentworkspace.engine.kernel.db.Precondition;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A compiled expression of a rule, which returns true or false for a request or a document. */
public final class Expression {
    /** The longest expression, in characters. */
    public static final int MAX_LENGTH = Environment.MAX_LENGTH;

    /** Created with the first rule, since it takes time and memory. */
    private static final class Lazily {
        private static final Environment ENVIRONMENT = new Environment();
    }

    private final Program program;

    private Expression(Program program) {
        this.program = program;
    }

    /** @throws ExpressionError if it is not a valid expression over the variables of rules, or exceeds their limits */
    public static Expression compile(String text) throws ExpressionError {
        var environment = Lazily.ENVIRONMENT;
        try {
            var ast = compiled(environment, text);
            new ExpressionLimits(ast, environment.functions).check();
            return new Expression(environment.runtime.createProgram(ast));
        } catch (CelEvaluationException | CelValidationException e) {
            throw new ExpressionError(1, 1, "it cannot be evaluated: " + e.getMessage());
        }
    }

    /**
     * Checks what a new expression must not have, although expressions that are stored already may have it.
     *
     * @throws ExpressionError if it names a time zone that does not exist, or a time or duration that cannot be read
     */
    public static void checkNew(String text) throws ExpressionError {
        try {
            new TimeTexts(compiled(Lazily.ENVIRONMENT, text), Lazily.ENVIRONMENT.runtime).check();
        } catch (CelValidationException e) {
            throw new ExpressionError(1, 1, "it cannot be evaluated: " + e.getMessage());
        }
    }

    /**
     * The most that an evaluation can examine, in characters of the {@link EvaluationBudget}.
     *
     * @param each for each character of the content or of the document's text
     * @param fixed of names, descriptions and other texts of limited length
     */
    public record Cost(long each, long fixed) {
        public Cost plus(Cost other) {
            return new Cost(each + other.each, fixed + other.fixed);
        }
    }

    /**
     * @param ofDocument whether it is evaluated for a document, rather than a command
     * @throws ExpressionError if it is not valid
     */
    public static Cost cost(String text, boolean ofDocument) throws ExpressionError {
        var environment = Lazily.ENVIRONMENT;
        try {
            return ExpressionCost.of(compiled(environment, text).getExpr(), environment.functions, ofDocument);
        } catch (CelValidationException e) {
            throw new ExpressionError(1, 1, "it cannot be evaluated: " + e.getMessage());
        }
    }

    private static CelAbstractSyntaxTree compiled(Environment environment, String text)
            throws ExpressionError, CelValidationException {
        if (text.length() > MAX_LENGTH) {
            throw new ExpressionError(
                    1, 1, "it has %,d characters; at most %,d are allowed".formatted(text.length(), MAX_LENGTH));
        }
        var result = environment.compiler.compile(text);
        if (result.hasError()) {
            throw new ErrorTexts(text, environment).of(result.getErrors());
        }
        return result.getAst();
    }

    /** The result of an evaluation. */
    public enum EvaluationResult {
        MATCHES,
        PASSES,
        /** It depends on unknown values. */
        UNKNOWN,
        /** It has no result, such as a division by zero. */
        FAILED
    }

    /** @param failure why the evaluation failed */
    public record Evaluation(
            EvaluationResult kind, @Nullable String failure) {}

    public Evaluation evaluate(ExpressionInput input) {
        return evaluate(input, EvaluationBudget.of(input));
    }

    /**
     * @param budget shared by the expressions of one command
     * @throws Problem if a variable could not be read
     */
    public Evaluation evaluate(ExpressionInput input, EvaluationBudget budget) {
        try {
            return outcome(ScopedValue.where(EvaluationBudget.CURRENT, budget).call(() -> evaluated(input)));
        } catch (CelEvaluationException | RuntimeException e) {
            Precondition.requireMet();
            return new Evaluation(EvaluationResult.FAILED, failure(e));
        }
    }

    private Object evaluated(ExpressionInput input) throws CelEvaluationException {
        CelVariableResolver variables = name -> Optional.ofNullable(Variables.resolve(input, name));
        return input.unknown().isEmpty()
                ? program.eval(variables)
                : program.eval(PartialVars.of(
                        variables,
                        input.unknown().stream()
                                .map(CelAttributePattern::fromQualifiedIdentifier)
                                .toList()));
    }

    private static Evaluation outcome(Object result) {
        return switch (result) {
            case Boolean yes -> new Evaluation(yes ? EvaluationResult.MATCHES : EvaluationResult.PASSES, null);
            case CelUnknownSet _ -> new Evaluation(EvaluationResult.UNKNOWN, null);
            default -> new Evaluation(EvaluationResult.FAILED, "its result is neither true nor false");
        };
    }

    /** Returns the innermost message, without the library's prefix. A refusal by the engine itself is rethrown. */
    private static String failure(Exception thrown) {
        Throwable cause = thrown;
        for (Throwable next = thrown; next != null; next = next.getCause()) {
            if (next instanceof Problem problem) {
                throw problem;
            }
            cause = next;
        }
        var message = String.valueOf(cause.getMessage());
        return message.length() > 200 ? message.substring(0, 200) : message;
    }
}
