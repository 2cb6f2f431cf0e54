package io.agentworkspace.engine.model;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One operation of the service, as a value: MCP calls it, a REST route maps onto it, the documents describe it.
 *
 * @param description what a model reads before it calls: what it does, what it needs, what it answers
 * @param leastRole what a caller must at least be in the tenant
 * @param idempotent whether doing it twice is the same as doing it once
 * @param isLong whether it may take more than a few seconds: clients that take tasks get one, and ask after it
 * @param wholeTexts whether its answer has long texts whole, as reads do; answers to writes cut them
 * @param outside work that calls out, done before the transaction, which must not wait for anybody; the handler finds what
 *     came of it in {@link Call#found}
 * @param toldOnce the fields of the answer that are never told again, and so not kept for replays
 * @param again what a replay answers where the first answer was too long to keep: the thing as it is, without doing anything;
 *     it finds in {@link Call#found} what was kept, the fields that say what was changed
 * @param open what it answers to somebody without a credential, of what is public; null where nothing is
 */
public record Tool<I extends Record, O extends Record>(
        String name,
        String title,
        String description,
        Capability capability,
        Effect effect,
        Role leastRole,
        boolean idempotent,
        boolean isLong,
        boolean wholeTexts,
        Route route,
        Class<I> input,
        Schema inputSchema,
        Class<O> output,
        ObjectNode outputSchema,
        List<String> toldOnce,
        @Nullable Handler<I, ?> outside,
        @Nullable Function<I, O> open,
        @Nullable Handler<I, O> again,
        Handler<I, O> handler) {

    /** The work itself. Reads issue one statement; everything else runs inside the runner's transaction. */
    @FunctionalInterface
    public interface Handler<I, O> {
        O handle(I input, Call call);
    }

    /** The family's word: {@code agent}, {@code domain}, {@code bank}, {@code zone}, {@code user}, {@code key}. */
    public String family() {
        return Route.family(name);
    }

    public boolean isCommand() {
        return Route.isCommand(name);
    }

    /** The rest of the hints that MCP clients show. */
    public boolean destructive() {
        return effect == Effect.DESTROYS;
    }

    /** The same tool, which shows what it changed once more where its answer was too long to keep. */
    public Tool<I, O> shownAgainBy(Handler<I, O> reader) {
        return with(open, reader);
    }

    /** The same tool, which also answers somebody without a credential. */
    public Tool<I, O> openTo(Function<I, O> strangers) {
        return with(strangers, again);
    }

    private Tool<I, O> with(@Nullable Function<I, O> strangers, @Nullable Handler<I, O> reader) {
        return new Tool<>(
                name,
                title,
                description,
                capability,
                effect,
                leastRole,
                idempotent,
                isLong,
                wholeTexts,
                route,
                input,
                inputSchema,
                output,
                outputSchema,
                toldOnce,
                outside,
                strangers,
                reader,
                handler);
    }

    public static Draft named(String name) {
        return new Draft(name);
    }

    /** A tool in the making. */
    public static final class Draft {
        private final String name;
        private @Nullable String title;
        private @Nullable String description;
        private @Nullable Capability capability;
        private Effect effect = Effect.READS;
        private @Nullable Role leastRole;
        private boolean idempotent;
        private boolean isLong;
        private boolean wholeTexts;
        private @Nullable Route route;

        private Draft(String name) {
            this.name = name;
        }

        public Draft title(String value) {
            title = value;
            return this;
        }

        public Draft description(String value) {
            description = value.strip();
            return this;
        }

        public Draft needs(Capability value) {
            capability = value;
            return this;
        }

        public Draft effect(Effect value) {
            effect = value;
            return this;
        }

        /** What a caller must at least be; a member for what writes, else a viewer, when not said. */
        public Draft atLeast(Role value) {
            leastRole = value;
            return this;
        }

        public Draft idempotent() {
            idempotent = true;
            return this;
        }

        public Draft takesLong() {
            isLong = true;
            return this;
        }

        /** Long texts are what a caller of this write wants: they are not cut. */
        public Draft wholeTexts() {
            wholeTexts = true;
            return this;
        }

        public Draft route(String method, String path) {
            route = new Route(method, path);
            return this;
        }

        public <I extends Record, O extends Record> Tool<I, O> handledBy(
                Class<I> input, Class<O> output, Handler<I, O> handler) {
            return handledBy(input, output, null, handler);
        }

        /** @param outside calls out, before the transaction begins */
        public <I extends Record, O extends Record> Tool<I, O> handledBy(
                Class<I> input, Class<O> output, @Nullable Handler<I, ?> outside, Handler<I, O> handler) {
            return new Tool<>(
                    name,
                    Objects.requireNonNull(title, name),
                    Objects.requireNonNull(description, name),
                    Objects.requireNonNull(capability, name),
                    effect,
                    leastRole != null ? leastRole : effect.writes() ? Role.MEMBER : Role.VIEWER,
                    idempotent || effect.reads(),
                    isLong,
                    wholeTexts || !effect.isTransactional(),
                    route == null ? Route.alias(name) : route,
                    input,
                    Schema.ofInput(input, effect.isTransactional()),
                    output,
                    Envelope.schema(output),
                    toldOnce(output),
                    outside,
                    null,
                    null,
                    handler);
        }

        private static List<String> toldOnce(Class<?> output) {
            return Arrays.stream(output.getRecordComponents())
                    .flatMap(component -> isOnce(component)
                            ? Stream.of(Shape.snake(component.getName()))
                            : component.getType().isRecord() ? toldOnce(component.getType()).stream() : Stream.empty())
                    .toList();
        }

        /** A name is a record, too, whose parts no answer shows. */
        private static boolean isOnce(RecordComponent component) {
            var doc = component.getAnnotation(Doc.class);
            return doc != null && doc.once();
        }
    }
}
