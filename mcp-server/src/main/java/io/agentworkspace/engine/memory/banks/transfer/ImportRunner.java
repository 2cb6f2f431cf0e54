package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.kernel.scheduling.FairQueue;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.banks.transfer.ImportPortions.Portion;
import io.agentworkspace.engine.memory.banks.transfer.ImportReport.DocumentCounts;
import io.agentworkspace.engine.memory.banks.transfer.ImportReport.RefusedLine;
import io.agentworkspace.engine.memory.banks.transfer.formats.CsvMapping;
import io.agentworkspace.engine.memory.banks.transfer.formats.Formats;
import io.agentworkspace.engine.memory.banks.transfer.formats.Reasons;
import io.agentworkspace.engine.memory.banks.transfer.formats.Reasons.Reason;
import io.agentworkspace.engine.memory.banks.transfer.formats.Records;
import io.agentworkspace.engine.memory.banks.transfer.source.ImportSource;
import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.text.StorableText;
import io.agentworkspace.engine.model.tool.AccessReasons;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.upload.FileStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs MB_Import once for each portion of a long import, so that no transaction is long, and none waits for a client that
 * is still sending. What a failure leaves undone is done when the same import is sent again.
 */
public final class ImportRunner implements ToolRunner {
    /** The formats that are stored while they arrive. */
    private static final List<String> LINES = List.of(ImportTool.ENGINE, ImportTool.JSONL);

    private static final Schema MAPPING = Schema.ofInput(CsvMapping.class, false);
    private static final List<String> COUNTS =
            List.of("lines", "stored", "replaced", "revisions", "unchanged", "refused");

    /** What an import holds at most while it runs: its memories, one entry as a tree, and the answer, in bytes. */
    private static final long HELD = 100L << 20;

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** So many files of up to 256 MiB arrive at once, or wait for their turn. */
    private static final int MOST_FILES = 16;

    private static final Duration RETRY = Duration.ofSeconds(5);

    private final ToolRunner runner;
    private final HeavyWork heavy;
    private final Clock clock;

    private final Semaphore files = new Semaphore(MOST_FILES);

    /** A quarter of the heap, for the imports that are read as a whole; tenants take turns. */
    private final FairQueue room =
            new FairQueue((int) Math.max(1, Runtime.getRuntime().maxMemory() / 4 / HELD));

    /** @param heavy for the texts and zips that are divided and unpacked before their first portion */
    public ImportRunner(ToolRunner runner, HeavyWork heavy, Clock clock) {
        this.runner = runner;
        this.heavy = heavy;
        this.clock = clock;
    }

    @Override
    public Answer run(Request request) {
        var arguments = request.arguments();
        var format = arguments.path("format").asString("");
        var isLines = LINES.contains(format);
        var isKnown =
                isLines || format.equals(ImportTool.MARKDOWN) || Formats.words().contains(format);
        if (!request.service().equals(ImportTool.NAME) || !isKnown) {
            return runner.run(request);
        }
        var data = arguments.path("data");
        if (!FileStream.CURRENT.isBound() && (!data.isString() || !StorableText.isStorable(data.asString()))) {
            return runner.run(request); // It refuses this by the field's name.
        }
        var imported = new Import(request);
        if (!isLines && !may(request)) {
            var refusal = runner.run(imported.empty());
            if (refusal.problem() != null) {
                return refusal;
            }
        }
        try {
            if (!isLines) {
                return keepAndRun(imported, format);
            }
            return imported.run(ImportPortions.of(
                    format,
                    FileStream.CURRENT.isBound()
                            ? FileStream.CURRENT.get()
                            : new ByteArrayInputStream(data.asString().getBytes(StandardCharsets.UTF_8))));
        } catch (Problem problem) {
            return imported.failed(problem);
        } catch (IOException e) {
            return imported.failed(
                    new Problem(Failure.BAD_REQUEST, "the body ended too early; send the whole body again"));
        }
    }

    /** Keeps what is sent, and waits until there is room to read it. */
    private Answer keepAndRun(Import imported, String format) throws IOException {
        if (!files.tryAcquire()) {
            throw Problem.unavailable("other imports are running; send this one again shortly", RETRY);
        }
        try {
            return keepAndRunOne(imported, format);
        } finally {
            files.release();
        }
    }

    private Answer keepAndRunOne(Import imported, String format) throws IOException {
        var arguments = imported.request.arguments();
        try (var source = FileStream.CURRENT.isBound()
                ? ImportSource.of(FileStream.CURRENT.get())
                : ImportSource.of(arguments.path("data").asString())) {
            var owner = FairQueue.Owner.current();
            takeRoom(owner);
            try {
                return readAndRun(imported, format, source);
            } finally {
                room.giveBack(owner, true);
            }
        }
    }

    private void takeRoom(FairQueue.Owner owner) {
        try {
            if (Cancellation.interruptible(() -> room.take(owner, PATIENCE)) != FairQueue.SlotResult.TAKEN) {
                throw Problem.unavailable("other imports are running; send this one again shortly", room.pause(owner));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.unavailable();
        }
    }

    /** Reads the format of another product as a whole, or recognises one of our own, then stores it. */
    private Answer readAndRun(Import imported, String format, ImportSource source) throws IOException {
        var arguments = imported.request.arguments();
        var mapping = mapping(arguments.path("mapping"));
        var reading = heavy.run(() -> read(format, source, mapping));
        var records = reading.records();
        if (records != null || format.equals(Formats.AUTO)) {
            imported.recognised = Optional.of(reading);
        }
        if (records != null) {
            source.close(); // It is not needed while conversations are validated.
            return imported.run(ImportPortions.of(reading.word(), records.memories()));
        }
        try (var in = source.open()) {
            return imported.run(ImportPortions.of(reading.word(), in, heavy));
        }
    }

    private static @Nullable CsvMapping mapping(JsonNode given) {
        return given.isObject() ? Json.bind(MAPPING.read((ObjectNode) given, true), CsvMapping.class) : null;
    }

    private Formats.Reading read(String format, ImportSource source, @Nullable CsvMapping mapping) {
        try {
            return Formats.read(format, source, mapping, clock.instant());
        } catch (IOException e) {
            throw Problem.invalid("data", "must be complete: this file cannot be read");
        }
    }

    /** Returns whether the caller may import into the bank: what it sends is then unpacked and divided. */
    private boolean may(Request request) {
        try {
            var target = request.arguments().path("target");
            var bank = "bank:" + target.path("bank").asString("");
            var question = new Question(
                    ImportTool.NAME, bank, Context.named(request.arguments()), request.caller(), request.requestId());
            return runner.why(question).may();
        } catch (Problem noSuchBank) {
            return false;
        }
    }

    /** One import, and what its portions have done so far. */
    private final class Import {
        private final Request request;
        private final ObjectNode sum = Json.object();
        private final List<RefusedLine> refusals = new ArrayList<>();
        private final Reasons reasons = new Reasons();
        private Optional<Formats.Reading> recognised = Optional.empty();
        private @Nullable DocumentCounts documents;
        private boolean isFinished;
        private long portions;

        Import(Request request) {
            this.request = request;
            COUNTS.forEach(count -> sum.put(count, 0));
        }

        Answer run(ImportPortions portions) throws IOException {
            portions.skipped().forEach(this::refuse);
            Answer last = null;
            for (var portion = portions.next(); last == null || !portion.lines().isEmpty(); portion = portions.next()) {
                portion.faults().forEach(this::refuse);
                last = attempt(portion, portions);
                if (last.problem() != null) {
                    return failed(last, last.problem());
                }
                add(last.envelope(), portions);
                request.progress().report(sum.path("lines").asDouble(), null, "importing");
            }
            records().ifPresent(this::finish);
            return done(last);
        }

        private Optional<Records> records() {
            return recognised.flatMap(reading -> Optional.ofNullable(reading.records()));
        }

        /** Adds what was refused while the file was read. */
        private void addRefused(Records records) {
            records.refused().list().forEach(reason -> {
                reasons.add(reason);
                count("refused", reason.count());
                count("lines", reason.count());
            });
        }

        /** Submits the conversations. */
        private void finish(Records records) {
            isFinished = true;
            addRefused(records);
            if (!records.documents().isEmpty()) {
                var all = new DocumentImport(
                        runner, request, reasons, sum.path("lines").asLong());
                documents = request.arguments().path("dry_run").asBoolean(false)
                        ? all.previewed(records.documents())
                        : all.run(records.documents());
                sum.put("changed", sum.path("changed").asBoolean(false) || isNew(documents));
            }
        }

        private boolean isNew(DocumentCounts of) {
            return of.preview() == null && of.stored() > 0;
        }

        private void count(String field, long more) {
            sum.put(field, sum.path(field).asLong() + more);
        }

        /** Runs a portion. If the plan has room for some of its lines, those are stored. */
        private Answer attempt(Portion portion, ImportPortions of) {
            var answer = runner.run(part(portion));
            var excess = answer.problem() == null ? null : answer.problem().excess();
            if (excess == null || excess.scope() != Scope.MEMORIES) {
                return answer;
            }
            var room = (int)
                    Math.min(excess.limit() - excess.count(), portion.lines().size() - 1L);
            if (room > 0) {
                var some = runner.run(part(portion.first(room)));
                if (some.problem() == null) {
                    add(some.envelope(), of);
                }
            }
            return answer;
        }

        /** Returns the request without lines: it is refused as the import would be. */
        Request empty() {
            var arguments = request.arguments().deepCopy();
            return request.part(arguments.put("format", ImportTool.JSONL).put("data", ""), null);
        }

        private Request part(Portion portion) {
            var arguments = request.arguments().deepCopy();
            arguments
                    .put("format", portion.format())
                    .put("data", portion.data())
                    .put("first_line", portion.firstLine());
            var field = arguments.path(Schema.IDEMPOTENCY_KEY).asString("");
            var key = request.idempotencyKey() == null && !field.isBlank() ? field : request.idempotencyKey();
            if (portions++ == 0 || key == null) {
                return request.part(arguments, request.idempotencyKey());
            }
            arguments.remove(Schema.IDEMPOTENCY_KEY);
            var own = "%s of %s".formatted(portions, key).getBytes(StandardCharsets.UTF_8);
            return request.part(arguments, Sha256.hex(own));
        }

        private void add(ObjectNode envelope, @Nullable ImportPortions of) {
            COUNTS.forEach(count -> sum.put(
                    count, sum.path(count).asLong() + envelope.path(count).asLong(0)));
            for (var each : envelope.path("reasons")) {
                var reason = Json.bind(each, Reason.class);
                var place = of == null ? new Place("", reason.line()) : of.place(reason.line());
                var file = place.file().isEmpty() ? reason.file() : place.file();
                reasons.add(new Reason(reason.note(), reason.count(), place.line(), file));
            }
            for (var refused : envelope.path("refusals")) {
                var line = Json.bind(refused, RefusedLine.class);
                if (records().isEmpty() && refusals.size() < ImportReport.NAMED) {
                    refusals.add(of == null ? line : of.placed(line));
                }
            }
            if (envelope.path("preview").isArray()) {
                var preview = sum.withArray("preview");
                for (JsonNode each : envelope.path("preview")) {
                    if (preview.size() < ImportReport.SHOWN) {
                        preview.add(each);
                    }
                }
            }
            sum.put(
                    "changed",
                    sum.path("changed").asBoolean(false)
                            || envelope.path("changed").asBoolean(false));
        }

        /** A line that cannot even be read, or a file that is no Markdown. */
        private void refuse(RefusedLine line) {
            count("refused", 1);
            count("lines", 1);
            reasons.add(line.note(), new Place(line.file() == null ? "" : line.file(), line.line()));
            if (refusals.size() < ImportReport.NAMED) {
                refusals.add(line);
            }
        }

        private ObjectNode report() {
            var inOrder = refusals.stream()
                    .sorted(Comparator.comparing((RefusedLine line) -> String.valueOf(line.file()))
                            .thenComparing(RefusedLine::line))
                    .toList();
            sum.set("refusals", Json.valueTree(inOrder));
            sum.set("reasons", Json.valueTree(reasons.list()));
            recognised.ifPresent(reading -> sum.put("recognised", reading.word()));
            records()
                    .map(records -> records.leftOut().list())
                    .filter(leftOut -> !leftOut.isEmpty())
                    .ifPresent(leftOut -> sum.set("left_out", Json.valueTree(leftOut)));
            if (documents != null) {
                sum.set("documents", Json.valueTree(documents));
            }
            var isComplete = sum.path("refused").asLong() == 0
                    && (documents == null || documents.refused() + documents.waiting() == 0);
            sum.put("complete", isComplete);
            return sum;
        }

        private Answer done(Answer last) {
            last.envelope().setAll(report());
            var isPreview = request.arguments().path("dry_run").asBoolean(false);
            last.envelope()
                    .put(
                            "summary",
                            ImportSummary.of(sum, recognised.map(Formats.Reading::product), documents, isPreview));
            return last;
        }

        /** Returns the refusal, with what was imported before it. */
        private Answer failed(Answer answer, Problem problem) {
            if (portions <= 1 && sum.path("lines").asLong() == 0) {
                return answer;
            }
            if (!isFinished) {
                records().ifPresent(this::addRefused);
            }
            var done = report().put("complete", false);
            var report = problem.with("report", done);
            answer.envelope().set("report", done);
            return new Answer(answer.envelope(), report, answer.replayed(), answer.moved(), answer.limits());
        }

        Answer failed(Problem problem) {
            var envelope = Envelope.failure(request.service(), request.requestId(), clock.instant(), problem);
            return failed(new Answer(envelope, problem, false), problem);
        }
    }

    @Override
    public Catalogue catalogue() {
        return runner.catalogue();
    }

    @Override
    public Answer runUncounted(Request request) {
        return runner.runUncounted(request);
    }

    @Override
    public void admit(Caller caller) {
        runner.admit(caller);
    }

    @Override
    public Optional<Answer> open(String service, ObjectNode arguments, String requestId) {
        return runner.open(service, arguments, requestId);
    }

    @Override
    public AccessReasons why(Question question) {
        return runner.why(question);
    }
}
