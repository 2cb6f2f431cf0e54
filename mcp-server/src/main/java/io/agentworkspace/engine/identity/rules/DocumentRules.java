package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.identity.rules.cel.ExpressionInput;
import io.agentworkspace.engine.identity.rules.cel.ExpressionInput.Fields;
import io.agentworkspace.engine.kernel.changes.TenantCache;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the rules that apply to {@code documents}. The validation of a document calls this when it knows the type
 * and text, before it accepts the document:
 *
 * <pre>{@code
 * var verdict = documentRules.check(tenant, document, submitter, now, requestId);
 * if (verdict.denial() != null) reject with the reason code "rule" and verdict.denial().note()
 * }</pre>
 *
 * <p>{@code verdict.noted()} has the names of the rules that matched, for the audit. A tenant without such
 * rules costs one look-up in a cache.
 */
public final class DocumentRules {
    private final TenantCache<RuleSet> sets;
    private final RuleEvaluator evaluator;

    DocumentRules(TenantCache<RuleSet> sets, RuleEvaluator evaluator) {
        this.sets = sets;
        this.evaluator = evaluator;
    }

    /**
     * A document as rules see it, in the variable {@code document}.
     *
     * @param mediaType by content, such as {@code application/pdf}
     * @param size in bytes
     * @param text as extracted, all of it
     * @param warnings codes of findings that do not reject the document, such as {@code instructions} or {@code secrets}
     */
    public record CheckedDocument(
            String name,
            String mediaType,
            long size,
            long version,
            String sha256,
            String text,
            List<String> warnings) {}

    /**
     * The submitter as rules see it, in the variable {@code principal}.
     *
     * @param role as a word
     * @param key the id of the API key
     */
    public record Submitter(
            String user,
            String role,
            @Nullable String agent,
            @Nullable String key,
            List<String> capabilities) {}

    /** Returns whether the tenant has such rules. Without them the text is not needed. */
    public boolean areThere(long tenant) {
        return !sets.of(tenant).ofDocuments().isEmpty();
    }

    /**
     * Evaluates the tenant's rules about a document, and counts the matches of each rule.
     *
     * @param about the request id, or another id that identifies the validation in the log
     */
    public Verdict check(long tenant, CheckedDocument document, Submitter submitter, Instant now, String about) {
        var rules = sets.of(tenant).ofDocuments();
        return rules.isEmpty()
                ? Verdict.NONE
                : evaluator.verdict(tenant, rules, input(document, submitter, now), true, Runnable::run, about);
    }

    private static ExpressionInput input(CheckedDocument document, Submitter submitter, Instant now) {
        return new ExpressionInput(
                DocumentRules::command,
                _ -> null,
                _ -> null,
                "",
                principal(submitter),
                fields(document),
                _ -> null,
                now,
                Set.of());
    }

    static @Nullable Object command(String field) {
        return switch (field) {
            case "name" -> ActiveRule.DOCUMENTS;
            case "family" -> "document";
            case "effect" -> "creates";
            default -> null;
        };
    }

    private static Fields principal(Submitter by) {
        return field -> switch (field) {
            case "user" -> by.user();
            case "role" -> by.role();
            case "agent" -> by.agent();
            case "key" -> by.key();
            case "capabilities" -> by.capabilities();
            default -> null;
        };
    }

    private static Fields fields(CheckedDocument document) {
        return field -> switch (field) {
            case "name" -> document.name();
            case "media_type" -> document.mediaType();
            case "size" -> document.size();
            case "version" -> document.version();
            case "sha256" -> document.sha256();
            case "text" -> document.text();
            case "warnings" -> document.warnings();
            default -> null;
        };
    }
}
