package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads of API keys: AK_List, AK_Read, AK_Usage. */
final class KeyTools {
    static final String ID = "The key's id, as AK_List shows it.";

    private final KeyQueries reads;
    private final KeyLimitTexts words;

    public KeyTools(KeyQueries reads, KeyLimitTexts words) {
        this.reads = reads;
        this.words = words;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(list(), read(), usage());
    }

    record ListRequest(
            @Doc("Whose keys: admins may name a user to see only that user's keys.")
            Targets.@Nullable UserOnly target,

            @Doc("Which part of a long list.") @Nullable Page page) {}

    record ListResponse(
            @Doc("The keys, newest first, including those that have ended.")
            List<Key> keys,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("AK_List")
                .title("List API keys")
                .description("""
                        Lists the API keys that you may manage, newest first, also expired and revoked ones.""")
                .details("""
                        Your user's keys; for admins all keys of the tenant. A key that is bound to an agent, or is \
                        another key's child, sees itself and the keys below it. Secrets are never shown.""")
                .alsoCalled(
                        "keys of our account",
                        "which tokens exist",
                        "who has access by key",
                        "list credentials",
                        "tokens",
                        "credentials",
                        "which keys exist",
                        "api tokens")
                .needs(Capability.KEY_READ)
                .route("GET", "/api/keys")
                .handledBy(ListRequest.class, ListResponse.class, (in, call) -> {
                    var found = reads.list(call, in.page());
                    return new ListResponse(found.rows(), found.nextCursor());
                });
    }

    record SecretResponse(
            @Doc("The key's record.") Key key,

            @Doc(
                    value =
                            "The whole key, to be sent as X-Api-Key. Store it now, since it is never shown again. If it is lost, AK_Rotate gives a new one.",
                    once = true)
            @Nullable
            String apiKey) {}

    record KeyResponse(
            @Doc("The key's record.") Key key,
            @Doc("Its revision.") long revision,
            @Doc("false if nothing had to be changed.") boolean changed) {}

    record KeyRequest(@Doc(value = ID, max = 64) String id) {}

    record ReadResponse(@Doc("The key's record.") Key key) {}

    private Tool<KeyRequest, ReadResponse> read() {
        return Tool.named("AK_Read")
                .title("Read an API key")
                .description("""
                        Reads one API key that you may manage: capabilities, state, end, last use. AK_Usage shows which \
                        tools it ran.""")
                .details("The secret is never shown.")
                .alsoCalled(
                        "details of one key",
                        "when does this token expire",
                        "what may a key do",
                        "when was a key last used",
                        "key details",
                        "is my token valid",
                        "when does the key expire")
                .needs(Capability.KEY_READ)
                .on(Requirement.OfKey.SEE)
                .route("GET", "/api/keys/{id}")
                .handledBy(
                        KeyRequest.class,
                        ReadResponse.class,
                        (in, call) -> new ReadResponse(reads.read(call, in.id())));
    }

    record Ran(
            @Doc("The tool.") String tool,
            @Doc("How often it was run.") long calls,
            @Doc("When it was last run.") Instant lastUsedAt) {}

    record Day(
            @Doc("The day, in UTC.") String day,
            @Doc("How often it ran a tool.") long calls) {}

    record UsageResponse(
            @Doc("The key's record.") Key key,

            @Doc("How many days back this looks, at most; in UTC.")
            long days,

            @Doc("The tools that it ran, the most used first.")
            List<Ran> commands,

            @Doc("The days on which it ran a tool, oldest first.")
            List<Day> daily,

            @Doc("The capabilities that these tools needed.")
            List<String> needed,

            @Doc("The capabilities that it has and never needed: you can remove them.")
            List<String> neverNeeded) {}

    private Tool<KeyRequest, UsageResponse> usage() {
        return Tool.named("AK_Usage")
                .title("See what an API key is used for")
                .description("""
                        Shows which tools a key ran in the last 30 days, and which capabilities it never needed. Next: \
                        AK_Update.""")
                .details("""
                        For each tool: how often and when last. AK_Update with the capabilities that it needed narrows \
                        the key.""")
                .alsoCalled(
                        "how much is a key used",
                        "number of calls of a token",
                        "statistics of a key over time",
                        "is this key still in use",
                        "least privilege",
                        "unused permissions",
                        "key activity",
                        "when was the token used")
                .needs(Capability.KEY_READ)
                .on(Requirement.OfKey.SEE)
                .route("GET", "/api/keys/{id}/usage")
                .handledBy(KeyRequest.class, UsageResponse.class, (in, call) -> used(reads.usage(call, in.id())));
    }

    private UsageResponse used(KeyQueries.Usage usage) {
        var ran = usage.tools().stream()
                .map(used -> new Ran(used.tool(), used.calls(), used.lastAt()))
                .toList();
        var capabilities = usage.key().capabilities();
        var needed = words.needed(ran.stream().map(Ran::tool).toList(), Set.copyOf(capabilities));
        var never = capabilities.contains(Capability.ALL) ? KeyLimitTexts.all() : new LinkedHashSet<>(capabilities);
        never.removeAll(needed);
        var days = KeyUse.KEPT.toDays();
        var daily = usage.daily().stream()
                .map(day -> new Day(day.day(), day.calls()))
                .toList();
        return new UsageResponse(usage.key(), days, ran, daily, List.copyOf(needed), List.copyOf(never));
    }
}
