package io.agentworkspace.engine.memory.banks.files;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.memory.banks.BankAccess;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.MemoryStore;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The back end of Anthropic's memory tool: MB_Files. */
final class FileTools {
    /** Leaves room for the rest of the response, and for sending the listing twice. */
    private static final int LISTING = 200_000;

    private final BankStore banks;
    private final MemoryStore memories;
    private final FileStore files;
    private final FileQueries reads;

    public FileTools(BankStore banks, MemoryStore memories, FileStore files, FileQueries reads) {
        this.banks = banks;
        this.memories = memories;
        this.files = files;
        this.reads = reads;
    }

    record Target(
            @Doc("The bank's name.") Name bank,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record FileRequest(
            @Doc("Which bank.") Target target,

            @Doc(
                    value = "The command.",
                    oneOf = {"view", "create", "str_replace", "insert", "delete", "rename"})
            String command,

            @Doc(value = "A file or directory below /memories.", mayBeBlank = true) @Nullable
            String path,

            @Doc(value = "view: first and last line; -1 is the end.", min = Long.MIN_VALUE, mayBeBlank = true) @Nullable
            List<Long> viewRange,

            @Doc(value = "create: the text.", max = Limits.CONTENT, verbatim = true, mayBeBlank = true) @Nullable
            String fileText,

            @Doc(
                    value = "str_replace: a text that occurs once.",
                    max = Limits.CONTENT,
                    verbatim = true,
                    mayBeBlank = true)
            @Nullable
            String oldStr,

            @Doc(value = "str_replace: the replacement.", max = Limits.CONTENT, verbatim = true, mayBeBlank = true)
            @Nullable
            String newStr,

            @Doc(value = "insert: after this line; 0 is the start.", min = Long.MIN_VALUE, mayBeBlank = true) @Nullable
            Long insertLine,

            @Doc(value = "insert: the text.", max = Limits.CONTENT, verbatim = true, mayBeBlank = true) @Nullable
            String insertText,

            @Doc(value = "rename: from.", mayBeBlank = true) @Nullable
            String oldPath,

            @Doc(value = "rename: to.", mayBeBlank = true) @Nullable
            String newPath) {}

    record FileResponse(
            @Doc("The result, in the words of the memory tool: give it to the model as it is.")
            String text,

            @Doc("true where the text is cut.") @Nullable Boolean truncated,

            @Doc("How many characters the whole text has, where it is cut.") @Nullable
            Integer length) {
        static FileResponse of(String text) {
            return new FileResponse(text, null, null);
        }
    }

    public List<Tool<?, ?>> tools() {
        return List.of(files());
    }

    private Tool<FileRequest, FileResponse> files() {
        return Tool.named("MB_Files")
                .title("Use a bank as files")
                .hints(Guide.Hint.MAY_REMOVE)
                .description("""
                        Reads and writes the memories of a bank as files below /memories, with the commands of Anthropic's \
                        memory tool. text is for the model.""")
                .details("""
                        The commands are those of memory_20250818, on the named memories of target.bank: the memory plans/today.md is the \
                        file /memories/plans/today.md. Pass the model's input on as it is, and give it text; a refusal has one, too. \
                        view only reads and requires the permission read. The others require append, and write for another \
                        author's file. Each change makes a revision. MB_Restore brings back what was deleted.""")
                .alsoCalled(
                        "view a memory file",
                        "edit lines of a memory",
                        "memory tool with paths",
                        "folder of notes",
                        "memory tool",
                        "files",
                        "edit a file",
                        "memory directory",
                        "view memories as files",
                        "str_replace")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.READ_OR_APPEND)
                .effect(Effect.CHANGES)
                .wholeTexts()
                .route("POST", "/api/banks/{name}/files", Map.of("target.bank", "name"))
                .example("command", "create")
                .example("path", "/memories/tides/may.md")
                .example("file_text", "Low water at 06:12.")
                .handledBy(FileRequest.class, FileResponse.class, (in, call) -> FileResponse.of(change(in, call)))
                .readingWith("command", "view", this::view);
    }

    private FileResponse view(FileRequest in, Call call) {
        var path = FilePath.of("path", in.path());
        if (in.viewRange() != null && in.viewRange().size() != 2) {
            throw Problem.invalid("view_range", "must have two numbers: the first and the last line");
        }
        var found = reads.view(call, in.target().bank(), path);
        if (found.text() != null) {
            return cut(ToolText.content(path.text(), found.text(), in.viewRange()), call);
        }
        if (found.entries().isEmpty() && !path.isRoot()) {
            throw ToolText.notThere("", path.text());
        }
        var visible =
                found.entries().stream().filter(entry -> !entry.isHidden()).toList();
        return FileResponse.of(ToolText.listing(path, visible, LISTING));
    }

    private static FileResponse cut(String text, Call call) {
        var head = call.budget().head(text, call.budget().left() - 1_000);
        return head.length() == text.length()
                ? FileResponse.of(text)
                : new FileResponse(head, true, text.codePointCount(0, text.length()));
    }

    private String change(FileRequest in, Call call) {
        var self = call.context().self();
        var bank = banks.read(call, in.target().bank(), self);
        AccessCheck.require(BankAccess.missing(call, bank));
        bank.permission().require(Permission.APPEND);
        call.checked(Requirement.OfBank.READ_OR_APPEND);
        var author = self == null ? call.context().user() : self;
        var commands = new FileCommands(memories, files, call, bank, author);
        return switch (in.command()) {
            case "create" -> commands.create(path(in), required("file_text", in.fileText()));
            case "str_replace" ->
                commands.strReplace(
                        path(in), notEmpty("old_str", in.oldStr()), Objects.requireNonNullElse(in.newStr(), ""));
            case "insert" ->
                commands.insert(
                        path(in), required("insert_line", in.insertLine()), required("insert_text", in.insertText()));
            case "delete" -> commands.delete(path(in));
            case "rename" ->
                commands.rename(FilePath.of("old_path", in.oldPath()), FilePath.of("new_path", in.newPath()));
            default -> throw new IllegalArgumentException(in.command());
        };
    }

    private static FilePath path(FileRequest in) {
        return FilePath.of("path", in.path());
    }

    private static <T> T required(String field, @Nullable T value) {
        if (value == null) {
            throw Problem.missing(field);
        }
        return value;
    }

    private static String notEmpty(String field, @Nullable String value) {
        if (value == null || value.isEmpty()) {
            throw Problem.missing(field);
        }
        return value;
    }
}
