package io.agentworkspace.engine.workspace.delivery.edits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.workspace.reservations.Reservation;
import io.agentworkspace.engine.workspace.reservations.ReservationStore;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** Which edits and commands write a reserved path: certainly, perhaps, or not. */
class EditedFilesTest {
    private static final String REFUSED = "refused";
    private static final String PERHAPS = "perhaps";
    private static final String PASSES = "passes";

    private static StepAllowance steps(long count) {
        return new StepAllowance(count, () -> Problem.unavailable());
    }

    private static String verdict(ObjectNode event, String pattern) {
        var allowance = steps(1_000_000);
        var edits = EditedFiles.of(event, "", allowance);
        var taken = List.of(new ReservationStore.Taken(
                "1", new Reservation(pattern, null, null, "Bert", null, Instant.EPOCH), "Yard", ""));
        if (ReservationStore.findTaken(taken, edits.certain(), edits.letters(), allowance)
                .isPresent()) {
            return REFUSED;
        }
        var perhaps = ReservationStore.findTaken(taken, edits.possible(), edits.letters(), allowance);
        return perhaps.isPresent() || edits.isOpen() ? PERHAPS : PASSES;
    }

    private static ObjectNode event(String cwd, String root) {
        return Json.object().put("cwd", cwd).put("root", root);
    }

    private static ObjectNode command(String text) {
        var event = event("/home/u/boat", "/home/u/boat").put("tool_name", "Bash");
        event.putObject("tool_input").put("command", text);
        return event;
    }

    /** What agents run in a repository in which {@code src/api/**} is reserved. {@code ⏎} is a new line. */
    @ParameterizedTest
    @CsvSource(delimiter = '§', quoteCharacter = '\u0001', textBlock = """
                    refused § echo x > src/api/x.ts
                    refused § echo x >> src/api/x.ts
                    refused § echo x >| src/api/x.ts
                    refused § make &> src/api/log.txt
                    refused § make 2> src/api/err.txt
                    refused § echo x>src/api/x.ts
                    refused § cat > src/api/x.ts <<'EOF'⏎rm -rf docs⏎EOF
                    refused § cat <<EOF > "src/api/x.ts"⏎text⏎EOF
                    refused § cat a b | tee src/api/x.ts
                    refused § echo x | tee -a docs/a.md src/api/x.ts
                    refused § sed -i 's/a/b/' src/api/x.ts
                    refused § sed -i.bak -e s/a/b/ src/api/x.ts
                    refused § sed -Ei 's/a/b/' src/api/x.ts
                    refused § sed --in-place=.bak 's/a/b/' src/api/x.ts
                    refused § sed -i '' -e 's/a/b/' src/api/x.ts
                    refused § perl -i -pe 's/a/b/' src/api/x.ts
                    refused § perl -pi.bak -e 's/a/b/' src/api/x.ts
                    refused § perl -0pi -e 's/a/b/' src/api/x.ts
                    refused § ruby -i -pe '$_.upcase!' src/api/x.ts
                    refused § gawk -i inplace '{print $1}' src/api/x.ts
                    refused § rm src/api/x.ts
                    refused § rm -f -- src/api/x.ts
                    refused § rm -rf src
                    refused § rm -rf src/api
                    refused § rm -rf .
                    refused § rm -rf ./src/./api/
                    refused § rm src/api/*.ts
                    refused § rm src/{api,web}/x.ts
                    refused § mv src/api/x.ts /tmp/x.ts
                    refused § mv /tmp/x.ts src/api/
                    refused § mv a.ts b.ts src/api
                    refused § mv src other
                    refused § cp /tmp/x.ts src/api/x.ts
                    refused § cp /tmp/x.ts src/api
                    refused § cp -t src/api /tmp/x.ts
                    refused § ln -sf /tmp/x.ts src/api/x.ts
                    refused § install -m 644 x.ts src/api/x.ts
                    refused § dd if=/dev/zero of=src/api/x.ts bs=1
                    refused § truncate -s 0 src/api/x.ts
                    refused § touch src/api/new.ts
                    refused § sort -o src/api/x.txt src/api/x.txt
                    refused § curl -so src/api/x.ts https://example.com/x.ts
                    refused § wget -O src/api/x.ts https://example.com/x.ts
                    refused § git checkout -- src/api/x.ts
                    refused § git checkout HEAD~1 -- src/api/x.ts
                    refused § git checkout src/api/x.ts
                    refused § git restore src/api/x.ts
                    refused § git restore --source=HEAD~2 src/api/x.ts
                    refused § git rm src/api/x.ts
                    refused § git mv src/api/x.ts src/web/x.ts
                    refused § git -C src restore api/x.ts
                    refused § patch src/api/x.ts < fix.patch
                    refused § cd src/api && echo x > x.ts
                    refused § cd src; rm api/x.ts
                    refused § (cd src/api; echo x > x.ts)
                    refused § pushd src/api && touch y.ts
                    refused § F=src/api/x.ts; echo x > $F
                    refused § F=src/api/x.ts⏎echo x > "${F}"
                    refused § for f in src/api/a.ts src/api/b.ts; do sed -i s/a/b/ $f; done
                    refused § for f in src/api/*.ts; do rm "$f"; done
                    refused § if true; then rm src/api/x.ts; fi
                    refused § true && false || rm src/api/x.ts
                    refused § sudo rm src/api/x.ts
                    refused § env A=b FOO=c rm src/api/x.ts
                    refused § timeout 5 rm src/api/x.ts
                    refused § bash -c 'echo x > src/api/x.ts'
                    refused § bash -lc "cd src && rm api/x.ts"
                    refused § sh <<'EOF'⏎rm src/api/x.ts⏎EOF
                    refused § eval "rm src/api/x.ts"
                    refused § echo $(rm src/api/x.ts)
                    refused § echo `rm src/api/x.ts`
                    refused § echo "done $(rm src/api/x.ts)"
                    refused § echo x > /home/u/boat/src/api/x.ts
                    refused § echo x > ~/boat/src/api/x.ts
                    refused § echo x > $HOME/boat/src/api/x.ts
                    refused § echo x > $PWD/src/api/x.ts
                    refused § echo x > ../boat/src/api/x.ts
                    refused § /bin/rm src/api/x.ts
                    refused § \\rm src/api/x.ts
                    refused § r''m src/api/x.ts
                    refused § echo x > src/"api"/x.ts
                    refused § cat x 2>&1 | tee src/api/log
                    refused § apply_patch <<'EOF'⏎*** Begin Patch⏎*** Update File: src/api/x.ts⏎@@⏎*** End Patch⏎EOF
                    refused § sudo -u root rm src/api/x.ts
                    refused § env -u A tee src/api/x.ts
                    refused § nice -n 10 rm src/api/x.ts
                    refused § timeout -s KILL 5 rm src/api/x.ts
                    refused § cd src && cd - && rm src/api/x.ts
                    refused § cd src/api && curl -sSLO https://example.com/x.ts?raw=1
                    refused § wget -P src/api https://example.com/x.ts
                    refused § scp host:/tmp/x.ts src/api/x.ts
                    refused § echo x > $'src/\\x61pi/x.ts'
                    refused § echo $'it\\'s' > src/api/x.ts
                    refused § function f { rm src/api/x.ts; }; f
                    refused § bash <<< "rm src/api/x.ts"
                    refused § su -c 'rm src/api/x.ts'
                    refused § cat <<EOF⏎$(rm src/api/x.ts)⏎EOF
                    refused § export D=src/api; rm $D/x.ts
                    refused § FILES="docs/a.md src/api/x.ts"; rm $FILES
                    refused § if [[ -f a ]]; then rm src/api/x.ts; fi
                    refused § ((rm src/api/x.ts); ls)
                    perhaps § git apply fix.patch
                    perhaps § patch -p1 < fix.patch
                    perhaps § git checkout main
                    perhaps § git checkout -- .
                    perhaps § git checkout -- src
                    perhaps § git restore .
                    perhaps § git switch main
                    perhaps § git pull --rebase
                    perhaps § git merge feature
                    perhaps § git stash
                    perhaps § git stash pop
                    perhaps § git reset --hard HEAD~1
                    perhaps § git clean -fd
                    perhaps § git cherry-pick abc123
                    perhaps § find src -name '*.ts' -delete
                    refused § sed -i --expression=s/a/b/ src/api/x.ts
                    refused § sed -i --file=edit.sed src/api/x.ts
                    passes  § wget -qO- https://example.com/src/api/x.ts
                    passes  § curl -o - https://example.com/src/api/x.ts
                    passes  § sort -o - src/api/x.ts
                    passes  § ruby -rdigest tool.rb src/api/x.ts
                    passes  § perl report.pl -list src/api/x.ts
                    perhaps § find src/api -type f -exec sed -i s/a/b/ {} +
                    perhaps § grep -rl foo src | xargs sed -i s/a/b/
                    perhaps § prettier --write src/api
                    perhaps § npx eslint --fix src/api/x.ts
                    perhaps § gofmt -w src/api
                    perhaps § black src/api
                    perhaps § python3 -c "open('src/api/x.ts','w').write('x')"
                    perhaps § node -e "require('fs').writeFileSync('src/api/x.ts','')"
                    perhaps § python3 - <<'EOF'⏎open("src/api/x.ts", "w")⏎EOF
                    perhaps § vim src/api/x.ts
                    perhaps § rm "$FILE"
                    perhaps § echo x > $OUT
                    perhaps § echo x > src/api/$NAME.ts
                    perhaps § cd "$DIR" && rm x.ts
                    perhaps § rsync -a build/ src/api/
                    refused § cp -r build/. src/api
                    perhaps § tar xzf archive.tgz
                    perhaps § cargo fmt
                    perhaps § curl https://example.com/x.sh | sh
                    perhaps § tar -C src -xf archive.tar
                    perhaps § unzip a.zip -d src/api
                    perhaps § awk '{print > "src/api/x.ts"}' a
                    perhaps § sed -n 'w src/api/x.ts' a
                    perhaps § npx prettier --write "src/**/*.ts"
                    perhaps § npx biome format --write
                    perhaps § python -m black src/api
                    perhaps § fd -e ts -x sed -i s/a/b/
                    perhaps § git rebase --abort
                    perhaps § git submodule update
                    perhaps § git clean -fdx src/api
                    passes  § cat src/api/x.ts
                    passes  § cat < src/api/x.ts
                    passes  § head -20 src/api/x.ts | grep foo
                    passes  § grep -rn "rm -rf" src/api
                    passes  § grep -i -w foo src/api/x.ts
                    passes  § rg 'a > b' src/api
                    passes  § ls -la src/api/
                    passes  § find src/api -name '*.ts'
                    passes  § find src/api -type f -exec grep -l foo {} +
                    passes  § grep -rl foo src | xargs wc -l
                    passes  § sed -n '1,20p' src/api/x.ts
                    passes  § sed 's/a/b/' src/api/x.ts > /tmp/x.ts
                    passes  § awk '$1 > 3 {print}' src/api/x.ts
                    passes  § perl -ne 'print if /x/' docs/x.ts
                    passes  § wc -l src/api/*.ts
                    passes  § diff src/api/x.ts src/web/x.ts
                    passes  § git diff src/api/x.ts
                    passes  § git log -p -- src/api/x.ts
                    passes  § git show HEAD:src/api/x.ts
                    passes  § git status
                    passes  § git add src/api/x.ts
                    passes  § git commit -m 'rm src/api/x.ts > out'
                    passes  § git checkout -b feature
                    passes  § git restore --staged src/api/x.ts
                    passes  § git apply --check fix.patch
                    passes  § git stash list
                    passes  § git clean -n
                    passes  § cp src/api/x.ts /tmp/
                    passes  § cp src/api/x.ts docs/x.ts
                    passes  § tar czf /tmp/api.tgz src/api
                    passes  § tar -tf archive.tar
                    passes  § echo 'echo x > src/api/x.ts'
                    passes  § echo "rm src/api/x.ts"
                    passes  § # rm src/api/x.ts
                    passes  § cat > docs/x.md <<'EOF'⏎echo x > src/api/x.ts⏎EOF
                    passes  § (cd src/api; ls) && echo x > notes.txt
                    passes  § npm test -- src/api
                    passes  § make 2>&1 > /dev/null
                    passes  § make > /tmp/log 2>&1
                    passes  § prettier --check src/api
                    passes  § black --check src/api
                    passes  § node src/api/x.js
                    passes  § python3 -m pytest src/api
                    passes  § dd if=src/api/x.ts of=/tmp/x
                    passes  § rm docs/x.md
                    passes  § rm -rf src/apidocs
                    passes  § echo x > src/api.ts
                    passes  § echo x > /other/src/api/x.ts
                    passes  § cd /tmp && echo x > src/api/x.ts
                    passes  § mv docs/a.md docs/b.md
                    passes  § test -f src/api/x.ts && echo yes
                    passes  § [ 3 -gt 2 ] && cat src/api/x.ts
                    passes  § diff <(sort src/api/a) <(sort src/api/b)
                    passes  § curl https://example.com/src/api/x.ts
                    passes  § case $x in a) ls src/api ;; esac
                    passes  § gzip -c src/api/x.ts > /tmp/x.gz
                    passes  § gunzip -dc src/api/x.gz
                    passes  § xz -l src/api/x.xz
                    passes  § [[ $a > src/api/x && $b > src/api/y ]]
                    passes  § (( a > src )) && (( b > $c ))
                    passes  § rsync -an docs/ src/api/
                    passes  § cargo fmt -- --check
                    passes  § isort --check-only src/api
                    passes  § terraform fmt -check
                    passes  § tar xf a.tar -C /tmp/x
                    passes  § unzip a.zip -d /tmp/x
                    passes  § git clean -fdx docs
                    passes  § git rebase --show-current-patch
                    passes  § F="docs/a src/api/b"; rm "$F"
                    passes  § cat <<'EOF'⏎$(rm src/api/x.ts)⏎EOF
                    passes  § cat <<EOF⏎don't > src/api/x.ts⏎EOF
                    passes  § bash script.sh
                    passes  § npx eslint src/api
                    passes  § curl -s https://example.com/x.ts -o -
                    """)
    void commandsThatWriteAReservedPathAreTold(String expected, String command) {
        assertThat(verdict(command(command.replace('⏎', '\n')), "src/api/**"))
                .as(command)
                .isEqualTo(expected);
    }

    @Test
    void aListOfManyOrOfWholePathsIsReadToo() {
        var absolute = "/home/u/boat/docs/a.md /home/u/boat/src/api/x.ts";
        var many = "docs/a-rather-long-name.md ".repeat(40) + "src/api/x.ts";
        for (var list : List.of(absolute, many)) {
            assertThat(verdict(command("for f in %s; do rm $f; done".formatted(list)), "src/api/**"))
                    .isEqualTo(REFUSED);
            assertThat(verdict(command("F='%s'; rm -f $F".formatted(list)), "src/api/**"))
                    .isEqualTo(REFUSED);
            assertThat(verdict(command("for f in %s; do cat $f; done".formatted(list)), "src/api/**"))
                    .isEqualTo(PASSES);
        }
        assertThat(verdict(command("rm docs/%s*.md".formatted("x".repeat(400))), "src/api/**"))
                .isEqualTo(PERHAPS);
        assertThat(verdict(command("rm {/tmp/a,/home/u/boat/src/api/x.ts}"), "src/api/**"))
                .isEqualTo(REFUSED);
        assertThat(verdict(command("rm '{src,docs}'/x '{'"), "src/api/**")).isEqualTo(PASSES);
    }

    private static String edit(String cwd, String root, String file) {
        var event = event(cwd, root).put("tool_name", "Edit");
        event.putObject("tool_input").put("file_path", file);
        return verdict(event, "src/api/**");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            C:\\Users\\me\\repo     | C:/Users/me/repo    | C:\\Users\\me\\repo\\src\\api\\x.ts  | refused
            C:\\Users\\me\\repo     | ''                  | src\\api\\x.ts                       | refused
            C:\\Users\\me\\repo     | ''                  | /c/Users/me/repo/src/api/x.ts       | refused
            /c/Users/me/repo       | /c/Users/me/repo    | C:\\Users\\me\\repo\\src\\api\\x.ts  | refused
            /c/Users/me/repo       | /c/Users/me/repo    | c:/users/ME/repo/SRC/API/x.ts       | refused
            C:\\Users\\me\\repo     | ''                  | \\\\?\\C:\\Users\\me\\repo\\src\\api\\x | refused
            \\\\host\\me\\repo     | ''                  | \\\\?\\UNC\\host\\me\\repo\\src\\api\\x | refused
            /Users/me/repo         | ''                  | /System/Volumes/Data/Users/me/repo/src/api/x.ts | refused
            /cygdrive/c/repo       | ''                  | C:\\repo\\src\\api\\x.ts            | refused
            /mnt/c/repo            | ''                  | /mnt/c/repo/SRC/api/x.ts            | refused
            C:\\Users\\me\\repo     | ''                  | D:\\Users\\me\\repo\\src\\api\\x.ts  | passes
            /tmp/repo              | /private/tmp/repo   | /private/tmp/repo/src/api/x.ts      | refused
            /private/tmp/repo      | ''                  | /tmp/repo/src/api/x.ts              | refused
            /private/var/x/repo    | ''                  | /var/x/repo/src/api/x.ts            | refused
            /Users/me/repo         | ''                  | /Users/me/repo/SRC/API/x.ts         | refused
            /Users/me/repo         | /Users/me/repo      | /users/me/Repo/src/Api/x.ts         | refused
            /home/u/repo           | ''                  | /home/u/repo/SRC/API/x.ts           | passes
            /home/u/repo/src       | /home/u/repo        | api/x.ts                            | refused
            /home/u/repo/src       | /home/u/repo        | ../src/api/../api/x.ts              | refused
            /home/u/repo           | /home/u/repo        | /home/u/repository/src/api/x.ts     | passes
            /home/u/repo           | /home/u/other       | /home/u/other/src/api/x.ts          | passes
            ''                     | ''                  | src/api/x.ts                        | refused
            ''                     | ''                  | /home/u/src/api/x.ts                | passes
            """)
    void pathsOfEachSystemAreUnderstood(String cwd, String root, String file, String expected) {
        assertThat(edit(cwd, root, file)).isEqualTo(expected);
    }

    @Test
    void aLinkIsFollowedAsTheClientsScriptFoundIt() {
        var linked = event("/home/u/link", "/data/repo")
                .put("real_cwd", "/data/repo")
                .put("real_file", "/data/repo/src/api/x.ts");
        linked.putObject("tool_input").put("file_path", "/home/u/link/shortcut/x.ts");
        assertThat(verdict(linked, "src/api/**")).isEqualTo(REFUSED);
        var command = event("/home/u/link", "/data/repo")
                .put("real_cwd", "/data/repo")
                .put("tool_name", "Bash");
        command.putObject("tool_input").put("command", "rm /home/u/link/src/api/x.ts");
        assertThat(verdict(command, "src/api/**")).isEqualTo(REFUSED);
        command.putObject("tool_input").put("command", "rm /data/repo/src/api/x.ts");
        assertThat(verdict(command, "src/api/**")).isEqualTo(REFUSED);
        command.putObject("tool_input").put("command", "rm src/api/x.ts");
        assertThat(verdict(command, "src/api/**")).isEqualTo(REFUSED);
    }

    @Test
    void theClientsSystemSaysHowLettersAreCompared() {
        var event = event("/work/repo", "").put("system", "Darwin");
        event.putObject("tool_input").put("file_path", "/work/repo/SRC/Api/x.ts");
        assertThat(verdict(event, "src/api/**")).isEqualTo(REFUSED);
        assertThat(verdict(event.put("system", "Linux"), "src/api/**")).isEqualTo(PASSES);
        var container = event("/w/repo", "/w/repo").put("system", "Linux");
        container.putObject("tool_input").put("file_path", "/w/repo/SRC/Api/x.ts");
        assertThat(verdict(container, "src/api/**")).isEqualTo(PASSES);
        var subsystem = event("/mnt/c/repo", "/mnt/c/repo").put("system", "Linux");
        subsystem.putObject("tool_input").put("file_path", "C:\\repo\\SRC\\Api\\x.ts");
        assertThat(verdict(subsystem, "src/api/**")).isEqualTo(REFUSED);
        var command = command("rm SRC/api/*.ts").put("system", "Darwin");
        assertThat(verdict(command, "src/API/**")).isEqualTo(REFUSED);
    }

    @Test
    void charactersAreCompared() {
        assertThat(edit("/home/u/repo", "", "/home/u/repo/src/api/cafe\u0301.ts"))
                .isEqualTo(REFUSED);
        var event = event("/home/u/repo", "");
        event.putObject("tool_input").put("file_path", "cafe\u0301/x");
        assertThat(verdict(event, "caf\u00e9/**")).isEqualTo(REFUSED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"command\":[\"bash\",\"-lc\",\"echo x > src/api/x.ts\"]}",
                "{\"cmd\":\"echo x > src/api/x.ts\"}",
                "{\"command\":\"echo x > x.ts\",\"workdir\":\"/home/u/boat/src/api\"}",
                "{\"command\":\"echo x > x.ts\",\"dir_path\":\"src/api\"}",
                "{\"input\":\"*** Begin Patch\\n*** Move to: src/api/x.ts\\n\"}"
            })
    void theInputsOfEachClientAreRead(String input) {
        var event = event("/home/u/boat", "/home/u/boat").put("tool_name", "shell");
        event.set("tool_input", Json.readObject(input.getBytes(StandardCharsets.UTF_8)));
        assertThat(verdict(event, "src/api/**")).isEqualTo(REFUSED);
    }

    /** Whatever is in a command, reading it ends. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "$(",
                "((",
                "`",
                "{a,b*}",
                "<<a\n",
                "bash -c '",
                "${",
                "for f in a b; do ",
                "\\",
                "a=$a$a$a;",
                "\"$(",
                "! ",
                "sudo ",
                "a=b ",
                "[[ ",
                "n",
                "sed -i -"
            })
    void hostileCommandsEnd(String part) {
        var text = part.repeat(60_000 / part.length());
        try {
            assertThat(verdict(command(text), "src/api/**")).isIn(PASSES, PERHAPS);
        } catch (Problem allowanceUsedUp) {
            assertThat(allowanceUsedUp.note()).isNotEmpty();
        }
        assertThatThrownBy(() -> EditedFiles.of(command("rm a; ".repeat(5_000)), "", steps(1_000)))
                .isInstanceOf(Problem.class);
    }

    @Test
    void atMostTwoHundredFilesOfAnEventAreCompared() {
        var event = event("/home/u/boat", "");
        event.putObject("tool_input").put("patch", "*** Update File: src/x.ts%d\n".repeat(20_000));
        assertThat(EditedFiles.of(event, "", steps(1_000)).certain()).hasSize(1);
        var many = new StringBuilder();
        for (var i = 0; i < 20_000; i++) {
            many.append("*** Update File: src/").append(i).append(".ts\n");
        }
        event.putObject("tool_input").put("patch", many.toString());
        assertThat(EditedFiles.of(event, "", steps(1_000)).certain()).hasSize(200);
    }
}
