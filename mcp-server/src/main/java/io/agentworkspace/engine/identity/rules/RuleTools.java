package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.identity.rules.cel.Expression;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Rules: RL_Templates, RL_List, RL_Create, RL_Update, RL_Delete and RL_Check. */
final class RuleTools {
    static final String ID = "The rule's id, as RL_List shows it.";
    static final String WHEN = "The condition, in CEL: command.effect == \"destroys\" && principal.role != \"owner\".";
    static final String APPLIES_TO = "Commands such as AP_Destroy, families such as bank, documents.";
    static final String TEMPLATE = "Instead of when: a template, as RL_Templates lists them.";
    static final String PARAMETERS = "The parameters of the template.";
    static final String DESCRIPTION = "What it is for.";
    static final String EFFECT = "deny refuses what matches; audit notes the rule's name in the audit.";
    static final String MESSAGE = "The message for refused callers: how to correct the request.";
    static final String ENABLED = "Whether it is used.";
    static final String PRIORITY = "If several rules deny, the response names the one with the highest priority.";
    static final String MODE = "enforce, or shadow: the rule only counts what it matches.";
    static final String EXAMPLES = "Requests that it is tried on at every save.";

    private final RuleQueries reads;
    private final RuleStore store;
    private final RuleDrafts drafts;
    private final RuleExpense expense;
    private final Db db;
    private final List<Tool<?, ?>> all;

    /** @param all all tools; the list is filled after this is created */
    public RuleTools(Db db, List<Tool<?, ?>> all) {
        this.db = db;
        this.reads = new RuleQueries(db);
        this.store = new RuleStore(db);
        this.drafts = new RuleDrafts(all);
        this.expense = new RuleExpense(all);
        this.all = all;
    }

    public List<Tool<?, ?>> tools() {
        return Stream.concat(
                        Stream.of(templates(), list(), create(), update(), delete()),
                        new RuleCheckTool(reads, new ReplayQueries(db), drafts, all).tools().stream())
                .toList();
    }

    record TemplatesRequest() {}

    record TemplatesResponse(@Doc("The templates.") List<RuleTemplate> templates) {}

    private Tool<TemplatesRequest, TemplatesResponse> templates() {
        return Tool.named("RL_Templates")
                .title("List the templates of rules")
                .alsoCalled("ready-made rules", "examples of policies", "what rules can be used as a start")
                .description("""
                        Lists the templates of rules: what each does, its parameters and its condition. A rule made from one is tried on \
                        the template's examples at each save. Next: RL_Create with template and parameters.""")
                .needs(Capability.RULE_READ)
                .route("GET", "/api/rules/templates")
                .handledBy(TemplatesRequest.class, TemplatesResponse.class, (_, call) -> {
                    return new TemplatesResponse(RuleTemplates.all().stream()
                            .map(RuleTemplates.Template::record)
                            .toList());
                });
    }

    record ListRequest(
            @Doc("Which part of a long list.") @Nullable Page page) {}

    record ListResponse(
            @Doc("The rules, newest first.") List<Rule> rules,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("RL_List")
                .title("List rules")
                .alsoCalled("which rules apply", "what is not allowed", "our policies", "house rules")
                .description("""
                        Lists the tenant's rules, newest first: what each applies to, its condition in CEL, what it does, and how often it \
                        matched and failed. A command that a deny rule matches is refused with rule_refused, and the note has the rule's message.""")
                .needs(Capability.RULE_READ)
                .route("GET", "/api/rules")
                .handledBy(ListRequest.class, ListResponse.class, (in, call) -> {
                    var found = reads.list(call, in.page());
                    return new ListResponse(found.rows(), found.nextCursor());
                });
    }

    record CreateRequest(
            @Doc("Its name, unique in the tenant.") Name name,

            @Doc(value = DESCRIPTION, max = 2_000, mayBeBlank = true) @Nullable
            String description,

            @Doc(value = APPLIES_TO + " A template has its own unless you give others.", max = 100) @Nullable
            List<String> appliesTo,

            @Doc(value = WHEN, max = Expression.MAX_LENGTH, mayBeBlank = true) @Nullable
            String when,

            @Doc(value = TEMPLATE, max = Name.MAX, mayBeBlank = true) @Nullable
            String template,

            @Doc(value = PARAMETERS, mayBeBlank = true) @Nullable
            ObjectNode parameters,

            @Doc(value = EFFECT + " Default: deny.", mayBeBlank = true) @Nullable
            RuleEffect effect,

            @Doc(value = MESSAGE, max = 500, mayBeBlank = true) @Nullable
            String message,

            @Doc(value = ENABLED + " Default: true.", mayBeBlank = true) @Nullable
            Boolean enabled,

            @Doc(value = PRIORITY + " Default: 0.", min = -1_000, max = 1_000, mayBeBlank = true) @Nullable
            Integer priority,

            @Doc(value = MODE + " Default: enforce.", mayBeBlank = true) @Nullable
            RuleMode mode,

            @Doc(value = EXAMPLES, max = 20, mayBeBlank = true) @Nullable
            List<RuleExample> examples)
            implements RuleDrafts.RuleFields {}

    record CreateResponse(
            @Doc("The rule's record.") Rule rule,
            @Doc("Its revision.") long revision) {}

    private Tool<CreateRequest, CreateResponse> create() {
        return Tool.named("RL_Create")
                .title("Create a rule")
                .alsoCalled(
                        "forbid something",
                        "a new policy",
                        "prevent agents from writing secrets",
                        "filter messages",
                        "never allow",
                        "block certain content")
                .description("""
                        Creates a rule that refuses (deny) or notes (audit) matching commands and documents, for admins. Next: RL_Check.""")
                .details("""
                        Needs when and applies_to, or a template. An error in when is reported with line and column. It is in \
                        force everywhere within a second. Try it first with RL_Check, which replays the last days' commands, or with mode \
                        shadow. No rule denies an owner's RL_ commands.""")
                .needs(Capability.RULE_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CREATES)
                .wholeTexts()
                .route("POST", "/api/rules")
                .example("template", "content-length-cap")
                .example("parameters", "{\"max\":4000}")
                .example("message", "Say it in at most 4,000 characters.")
                .handledBy(CreateRequest.class, CreateResponse.class, this::insert);
    }

    private CreateResponse insert(CreateRequest in, Call call) {
        var draft = drafts.make(in, null, call.now());
        checkExpense(call, draft, null);
        var rule = store.insert(call, draft);
        call.revised(new Call.TextChange(null, draft.text()));
        return new CreateResponse(rule, rule.revision());
    }

    /**
     * Rules that are saved at the same time wait for each other, so that none is missed. Whoever leaves an enabled rule's condition
     * as it is can change everything else.
     */
    private void checkExpense(Call call, RuleDraft draft, @Nullable Rule rule) {
        var costsTheSame = rule != null
                && rule.enabled()
                && rule.when().equals(draft.when())
                && rule.appliesTo().equals(draft.appliesTo());
        if (!costsTheSame && expense.isConsiderable(draft)) {
            store.lockAll(call);
            expense.check(draft, store.active(call.caller().tenant()).without(rule == null ? null : rule.id()));
        }
    }

    record UpdateRequest(
            @Doc(value = ID, max = 64) String id,

            @Doc(value = "Another name.", mayBeBlank = true) @Nullable
            Name name,

            @Doc(value = DESCRIPTION, max = 2_000, mayBeBlank = true) @Nullable
            String description,

            @Doc(value = APPLIES_TO, max = 100) @Nullable List<String> appliesTo,

            @Doc(value = "Another condition, in CEL.", max = Expression.MAX_LENGTH, mayBeBlank = true) @Nullable
            String when,

            @Doc(value = TEMPLATE, max = Name.MAX, mayBeBlank = true) @Nullable
            String template,

            @Doc(value = PARAMETERS, mayBeBlank = true) @Nullable
            ObjectNode parameters,

            @Doc(value = EFFECT, mayBeBlank = true) @Nullable
            RuleEffect effect,

            @Doc(value = MESSAGE, max = 500, mayBeBlank = true) @Nullable
            String message,

            @Doc(value = ENABLED, mayBeBlank = true) @Nullable
            Boolean enabled,

            @Doc(value = PRIORITY, min = -1_000, max = 1_000, mayBeBlank = true) @Nullable
            Integer priority,

            @Doc(value = MODE, mayBeBlank = true) @Nullable RuleMode mode,

            @Doc(value = EXAMPLES, max = 20, mayBeBlank = true) @Nullable
            List<RuleExample> examples,

            @Doc(value = IfRevision.DOC, mayBeBlank = true) @Nullable
            Long ifRevision)
            implements RuleDrafts.RuleFields {}

    record UpdateResponse(
            @Doc("The rule's record.") Rule rule,
            @Doc("Its revision.") long revision,
            @Doc("false if nothing had to be changed.") boolean changed) {}

    private Tool<UpdateRequest, UpdateResponse> update() {
        return Tool.named("RL_Update")
                .title("Change a rule")
                .alsoCalled("change a policy", "switch a rule off", "pause a rule", "make a rule only warn")
                .description("""
                        Changes only the fields of a rule that you give, for admins.""")
                .details("""
                        The engine compiles the rule and tries it on its examples again. It takes effect everywhere within a second. The \
                        audit keeps the old and the new text. A change of what the rule does resets its counts.""")
                .needs(Capability.RULE_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CHANGES)
                .idempotent()
                .wholeTexts()
                .route("PATCH", "/api/rules/{id}")
                .example("mode", "shadow")
                .handledBy(UpdateRequest.class, UpdateResponse.class, this::change);
    }

    private UpdateResponse change(UpdateRequest in, Call call) {
        var current = store.lock(call, in.id());
        IfRevision.check(in.ifRevision(), current.revision());
        var before = RuleDraft.of(current);
        var draft = drafts.make(in, before, call.now());
        if (draft.isSameAs(current)) {
            return new UpdateResponse(current, current.revision(), false);
        }
        checkExpense(call, draft, current);
        var rule = store.update(call, current, draft);
        call.revised(new Call.TextChange(before.text(), draft.text()));
        return new UpdateResponse(rule, rule.revision(), true);
    }

    record DeleteRequest(
            @Doc(value = ID, max = 64) String id,
            @Doc(IfRevision.DOC) @Nullable Long ifRevision) {}

    record DeleteResponse(@Doc("Always true.") boolean changed) {}

    private Tool<DeleteRequest, DeleteResponse> delete() {
        return Tool.named("RL_Delete")
                .title("Delete a rule")
                .alsoCalled("remove a policy", "a rule is no longer needed", "allow it again")
                .description("""
                        Deletes a rule permanently, for admins; the audit keeps its text. To stop it for a while, use RL_Update with \
                        enabled false.""")
                .needs(Capability.RULE_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.DESTROYS)
                .route("DELETE", "/api/rules/{id}")
                .handledBy(DeleteRequest.class, DeleteResponse.class, (in, call) -> {
                    var rule = store.lock(call, in.id());
                    IfRevision.check(in.ifRevision(), rule.revision());
                    store.delete(call, rule);
                    call.revised(new Call.TextChange(RuleDraft.of(rule).text(), null));
                    return new DeleteResponse(true);
                });
    }
}
