package io.agentworkspace.engine.identity.rules;

import static io.agentworkspace.engine.identity.rules.TemplateParameters.NUMBER;
import static io.agentworkspace.engine.identity.rules.TemplateParameters.TEXT;
import static io.agentworkspace.engine.identity.rules.TemplateParameters.TEXTS;

import io.agentworkspace.engine.identity.rules.RuleTemplate.Parameter;
import io.agentworkspace.engine.identity.rules.cel.TimeTexts;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** The built-in templates (decisions, section 10). Their examples are generated from the given parameters. */
final class RuleTemplates {
    private static final List<String> WORKSPACE = List.of("agent", "domain", "zone", "bank");

    private static final List<Template> ALL = List.of(
            protectDestroy(),
            readOnlyHours(),
            noSecrets(),
            contentLength(),
            nameConvention(),
            requireDescription(),
            blockWords(),
            documentTypes());

    private RuleTemplates() {}

    /**
     * A template.
     *
     * @param when returns the condition for parameters
     * @param examples returns the examples for parameters
     */
    record Template(
            String name,
            String description,
            List<String> appliesTo,
            String message,
            List<Parameter> parameters,
            Function<TemplateParameters, String> when,
            Function<TemplateParameters, List<RuleExample>> examples) {

        RuleTemplate record() {
            var defaults = TemplateParameters.of(parameters, null);
            return new RuleTemplate(
                    name,
                    description,
                    appliesTo,
                    RuleEffect.DENY,
                    message,
                    parameters,
                    when.apply(defaults),
                    examples.apply(defaults));
        }
    }

    static List<Template> all() {
        return ALL;
    }

    /** @throws Problem {@code invalid_field} */
    static Template read(String name) {
        return ALL.stream()
                .filter(template -> template.name().equals(name))
                .findFirst()
                .orElseThrow(() -> {
                    var names = ALL.stream().map(Template::name).toList();
                    var near = Near.nearest(name, names, 1);
                    return Problem.invalid(
                            "template",
                            "is '%s'%s; the templates are %s"
                                    .formatted(
                                            Name.shortened(name),
                                            near.isEmpty() ? "" : ", did you mean %s?".formatted(near.getFirst()),
                                            String.join(", ", names)));
                });
    }

    private static Template protectDestroy() {
        return new Template(
                "protect-destroy",
                "Only these roles may destroy or delete things: all, or those with these names.",
                List.of("agent", "domain", "zone", "bank", "document", "skill"),
                "this is protected: ask someone with the right role to delete it",
                List.of(
                        texts("roles", "The roles that may destroy.", "owner"),
                        texts("names", "The protected names, compared as the service compares names; none means all.")),
                parameters -> """
                        command.effect == "destroys" && !(principal.role in %s)%s""".formatted(parameters.literal("roles"), protectedNames(parameters)),
                parameters -> {
                    var name = parameters.texts("names").isEmpty()
                            ? "Payroll"
                            : parameters.texts("names").getFirst();
                    var role = parameters.texts("roles").isEmpty()
                            ? ""
                            : parameters.texts("roles").getFirst();
                    return List.of(
                            matches(request("MB_Destroy", "target", "bank", name, "nobody")),
                            matches(request("DC_Delete", "document", "name", name, "nobody")),
                            passes(request("MB_AgentList", "target", "bank", name, "nobody")),
                            role.isEmpty()
                                    ? passes(request("MB_AgentList", "target", "bank", name, "member"))
                                    : passes(request("MB_Destroy", "target", "bank", name, role)));
                });
    }

    private static String protectedNames(TemplateParameters parameters) {
        return parameters.texts("names").isEmpty() ? "" : """
                 && %s.exists(name, sameName(name, target.agent) || sameName(name, target.domain) || sameName(name, target.zone)\
                 || sameName(name, target.bank) || sameName(name, vx.name) || sameName(name, document.name))""".formatted(parameters.literal("names"));
    }

    private static Template readOnlyHours() {
        return new Template(
                "read-only-hours",
                "In these hours of the day nothing is changed; reading goes on.",
                WORKSPACE,
                "nothing is changed at this time of day: try again later",
                List.of(
                        number("from", "The hour that it begins with, 0–23.", 20),
                        number(
                                "to",
                                "The hour that it ends before, 0–24; less than from where midnight is between them.",
                                6),
                        text("timezone", "Where, as in the IANA time zone database.", "UTC")),
                RuleTemplates::hours,
                parameters -> {
                    var from = parameters.number("from") % 24;
                    var to = parameters.number("to") % 24;
                    return from == to || !parameters.text("timezone").equals("UTC")
                            ? List.of(passes(at("MB_AgentList", from)))
                            : List.of(
                                    matches(at("MB_Store", from)),
                                    passes(at("MB_Store", to)),
                                    passes(at("MB_AgentList", from)));
                });
    }

    private static String hours(TemplateParameters parameters) {
        TimeTexts.broken(parameters.text("timezone")).ifPresent(wrong -> {
            throw Problem.invalid("parameters.timezone", "is not known: " + wrong);
        });
        var zone = parameters.literal("timezone");
        var wraps = parameters.number("from") > parameters.number("to");
        return """
                command.effect in ["creates", "changes", "destroys"] && (now.getHours(%s) >= %d %s now.getHours(%s) < %d)""".formatted(zone, parameters.number("from"), wraps ? "||" : "&&", zone, parameters.number("to"));
    }

    private static Template noSecrets() {
        return new Template(
                "no-secrets-in-memory",
                "Nothing is stored in a bank that looks like a credential: keys of well-known forms, private keys, tokens, passwords.",
                List.of("bank"),
                "this looks like it has a credential in it: leave it out, and name where it is kept instead",
                List.of(),
                _ -> """
                        command.effect in ["creates", "changes"] && (hasSecret(content) || hasSecret(vx.name) || hasSecret(vx.description))""",
                _ -> List.of(
                        matches(content("MB_Store", "deploy with AKIA" + "IOSFODNN7EXAMPLE")),
                        matches(content("MB_Store", "the password: correct-horse-battery")),
                        passes(content("MB_Store", "the deploy key is in the safe, under ci/deploy"))));
    }

    private static Template contentLength() {
        return new Template(
                "content-length-cap",
                "What is said or stored has at most so many characters.",
                WORKSPACE,
                "this is too long: send it in parts, or a summary",
                List.of(number("max", "The greatest length, in characters.", 4_000)),
                parameters -> """
                        command.effect in ["creates", "changes"] && size(content) > %d""".formatted(parameters.number("max")),
                parameters -> {
                    var max = Math.min(parameters.number("max"), 64_000);
                    return List.of(
                            parameters.number("max") < 64_000
                                    ? matches(content("MB_Store", "x".repeat(max + 1)))
                                    : passes(content("MB_Store", "")),
                            passes(content("MB_Store", "x".repeat(max))));
                });
    }

    private static Template nameConvention() {
        var plain = "[a-z][a-z0-9]*(-[a-z0-9]+)*";
        return new Template(
                "name-convention",
                "New names of agents, domains, zones and banks have this form.",
                WORKSPACE,
                "the name has not the form that is agreed here",
                List.of(text("pattern", "What the whole name must match: a regular expression of RE2.", plain)),
                parameters -> """
                        command.effect in ["creates", "changes"] && !(command.name in ["MB_Store", "MB_Load", "MB_Files", "AP_Chat"])\
                         && (vx.name != "" && !vx.name.matches(%1$s)\
                         || vx.name == "" && command.name == "MB_Create" && target.bank != "" && !target.bank.matches(%1$s))""".formatted(Json.text("^(?:%s)$".formatted(parameters.text("pattern")))),
                parameters -> parameters.text("pattern").equals(plain)
                        ? List.of(
                                matches(named("AP_Create", "My Agent")),
                                passes(named("AP_Create", "my-agent")),
                                passes(request("AP_Destroy", "target", "agent", "My Agent", "owner")))
                        : List.of(passes(request("AP_Destroy", "target", "agent", "My Agent", "owner"))));
    }

    private static Template requireDescription() {
        return new Template(
                "require-description",
                "New agents, domains and banks have a description of at least so many characters.",
                WORKSPACE,
                "say in vx.description what it is for",
                List.of(number("min_length", "The smallest length, in characters.", 10)),
                parameters -> """
                        command.name in ["AP_Create", "DM_Create", "MB_Create"] && size(vx.description) < %d""".formatted(parameters.number("min_length")),
                parameters -> {
                    var min = Math.min(parameters.number("min_length"), 2_000);
                    return List.of(
                            min > 0
                                    ? matches(described("MB_Create", "x".repeat(min - 1)))
                                    : passes(described("MB_Create", "")),
                            parameters.number("min_length") <= 2_000
                                    ? passes(described("MB_Create", "x".repeat(min)))
                                    : matches(described("MB_Create", "x".repeat(min))));
                });
    }

    private static Template blockWords() {
        return new Template(
                "block-words",
                "These words and phrases are in nothing that is said, stored, described or handed in.",
                List.of("agent", "domain", "zone", "bank", ActiveRule.DOCUMENTS),
                "it has a word in it that is not used here",
                List.of(texts("words", "Whole words or phrases, in any case.", "confidential")),
                parameters -> """
                        command.effect in ["creates", "changes"] && (content.mentions(%1$s) || vx.name.mentions(%1$s)\
                         || vx.description.mentions(%1$s) || vx.profile.mentions(%1$s) || document.text.mentions(%1$s))""".formatted(parameters.literal("words")),
                parameters -> parameters.texts("words").isEmpty()
                        ? List.of(passes(content("AP_Chat", "anything")))
                        : List.of(
                                matches(content(
                                        "AP_Chat",
                                        "this is " + parameters.texts("words").getFirst() + "!")),
                                passes(content("AP_Chat", "…"))));
    }

    private static Template documentTypes() {
        return new Template(
                "allowed-document-types",
                "Documents have one of these types, by their content.",
                List.of(ActiveRule.DOCUMENTS),
                "documents of this type are not taken here",
                List.of(texts("types", "Media types.", "text/plain", "text/markdown", "application/pdf")),
                parameters -> "!(document.media_type in %s)".formatted(parameters.literal("types")),
                parameters -> parameters.texts("types").isEmpty()
                        ? List.of(matches(document("application/x-other")))
                        : List.of(
                                matches(document("application/x-other")),
                                passes(document(parameters.texts("types").getFirst()))));
    }

    private static Parameter texts(String name, String description, String... values) {
        return new Parameter(name, TEXTS, description, defaults(name, List.of(values)));
    }

    private static Parameter number(String name, String description, int value) {
        return new Parameter(name, NUMBER, description, defaults(name, value));
    }

    private static Parameter text(String name, String description, String value) {
        return new Parameter(name, TEXT, description, defaults(name, value));
    }

    private static ObjectNode defaults(String name, Object value) {
        var defaults = Json.object();
        defaults.set(name, Json.valueTree(value));
        return defaults;
    }

    private static RuleExample matches(ObjectNode request) {
        return new RuleExample(request, RuleExample.MATCHES);
    }

    private static RuleExample passes(ObjectNode request) {
        return new RuleExample(request, RuleExample.PASSES);
    }

    private static ObjectNode request(String service, String object, String field, String value, String role) {
        var request = Json.object().put("service", service);
        request.putObject(object).put(field, value);
        request.putObject("principal").put("role", role);
        return request;
    }

    private static ObjectNode named(String service, String name) {
        return request(service, "vx", "name", name, "member");
    }

    private static ObjectNode described(String service, String description) {
        return request(service, "vx", "description", description, "member");
    }

    private static ObjectNode content(String service, String content) {
        return Json.object().put("service", service).put("content", content);
    }

    private static ObjectNode at(String service, int hour) {
        return Json.object().put("service", service).put("now", "2026-01-05T%02d:30:00Z".formatted(hour));
    }

    private static ObjectNode document(String mediaType) {
        var request = Json.object().put("service", ActiveRule.DOCUMENTS);
        request.putObject("document").put("media_type", mediaType);
        return request;
    }
}
