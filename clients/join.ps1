# Joins coding agents on this Windows machine to an Agent Workspace Engine, with the code of an invitation:
#   & ([scriptblock]::Create((irm <engine>/join.ps1))) <code>
# It runs the script of <engine>/join in the shell of Git for Windows, with the same options: so the files are the same as in Git Bash.
# For Windows PowerShell 5.1 and PowerShell 7. It contains no secret.

# In a scope of its own, so that nothing of it is left in the session.
& {
    # The shell of Git for Windows. Elsewhere, that of the system.
    function Find-Shell {
        if ($env:OS -ne 'Windows_NT') {
            return '/bin/sh'
        }
        $folders = @()
        foreach ($key in 'HKCU:\SOFTWARE\GitForWindows', 'HKLM:\SOFTWARE\GitForWindows') {
            if (Test-Path $key) {
                $folders += (Get-ItemProperty $key).InstallPath
            }
        }
        foreach ($git in @(Get-Command git.exe -CommandType Application -ErrorAction SilentlyContinue)) {
            $folders += Split-Path (Split-Path $git.Source)
        }
        foreach ($folder in $folders) {
            if ($folder -and (Test-Path "$folder\bin\sh.exe")) {
                return "$folder\bin\sh.exe"
            }
        }
        throw 'Git for Windows is required, since its shell runs the hooks, too: winget install --id Git.Git. Nothing was changed.'
    }

    $ErrorActionPreference = 'Stop'
    $shell = Find-Shell
    # Nobody else can guess its name.
    $script = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    # PowerShell makes a list of a text with commas.
    $arguments = @(foreach ($argument in $args) { $argument -join ',' })
    try {
        Invoke-WebRequest '@BASE_URL@/join' -UseBasicParsing -OutFile $script
        # What the script writes to its standard error is no error of PowerShell.
        $ErrorActionPreference = 'Continue'
        & $shell $script @arguments
    } finally {
        Remove-Item $script -ErrorAction SilentlyContinue
    }
    if ($LASTEXITCODE) {
        throw "The script ended with code $LASTEXITCODE, for the reason above."
    }
} @args
