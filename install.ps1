# Installs Failwise on Windows from an archive: checks it, unpacks it, and starts `failwise setup`, which registers the plugin.
#   ./install.ps1 [-Prebuilt FILE-OR-ADDRESS] [-Remove] [-DryRun]
param([string]$Prebuilt = '', [switch]$Planner, [switch]$Remove, [switch]$DryRun)
$ErrorActionPreference = 'Stop'
$plugin = Join-Path $env:LOCALAPPDATA 'failwise\plugin'

function Stop-With([string]$what, [string]$next) {
  [Console]::Error.WriteLine("error: $what")
  if ($next) { [Console]::Error.WriteLine("  $next") }
  exit 1
}

if ($Remove) {
  $failwise = Join-Path $plugin 'bin\failwise.exe'
  if (-not (Test-Path -LiteralPath $failwise)) { Stop-With "nothing is installed in $plugin" '' }
  # Windows removes no executable that runs, so a copy does it.
  $copy = Join-Path ([IO.Path]::GetTempPath()) "failwise-$PID.exe"
  Copy-Item -LiteralPath $failwise -Destination $copy
  & $copy setup --remove
  $ended = $LASTEXITCODE
  Remove-Item -LiteralPath $copy
  exit $ended
}
if (-not $Prebuilt) {
  $found = Get-ChildItem -LiteralPath $PSScriptRoot -Filter 'failwise-*-x86_64-pc-windows-gnu.zip' | Select-Object -First 1
  if ($found) { $Prebuilt = $found.FullName }
  else { Stop-With 'no archive is named, and none is next to this script' 'give one: ./install.ps1 -Prebuilt FILE-OR-ADDRESS' }
}
$work = Join-Path ([IO.Path]::GetTempPath()) "failwise-$PID"
New-Item -ItemType Directory -Path $work | Out-Null
try {
  $name = Split-Path -Leaf $Prebuilt
  $archive = Join-Path $work $name
  $sums = Join-Path $work 'SHA256SUMS'
  if ($Prebuilt -like 'https://*') {
    Write-Output "==> downloading $Prebuilt"
    try {
      Invoke-WebRequest -UseBasicParsing -Uri $Prebuilt -OutFile $archive
      Invoke-WebRequest -UseBasicParsing -Uri ($Prebuilt.Substring(0, $Prebuilt.LastIndexOf('/') + 1) + 'SHA256SUMS') -OutFile $sums
    } catch { Stop-With "$Prebuilt or its SHA256SUMS could not be downloaded; nothing was installed" 'a file does too' }
  } elseif (Test-Path -LiteralPath $Prebuilt -PathType Leaf) {
    Copy-Item -LiteralPath $Prebuilt -Destination $archive
    $beside = Join-Path (Split-Path -Parent (Resolve-Path -LiteralPath $Prebuilt)) 'SHA256SUMS'
    if (Test-Path -LiteralPath $beside) { Copy-Item -LiteralPath $beside -Destination $sums }
  } else { Stop-With "there is no $Prebuilt, and it is no https address" '' }
  if (-not (Test-Path -LiteralPath $sums)) { Stop-With "there is no SHA256SUMS next to $name; nothing was installed" '' }
  $line = Get-Content -LiteralPath $sums | Where-Object { ($_ -split '\s+\*?', 2)[1] -eq $name } | Select-Object -First 1
  if (-not $line) { Stop-With "SHA256SUMS has no line for $name; nothing was installed" 'take both files from one release' }
  if ((Get-FileHash -LiteralPath $archive -Algorithm SHA256).Hash -ne ($line -split '\s+')[0]) {
    Stop-With "$name is not what SHA256SUMS says: damaged or changed; nothing was installed" 'get it again'
  }
  Expand-Archive -LiteralPath $archive -DestinationPath (Join-Path $work 'unpacked')
  $failwise = Get-ChildItem -Path (Join-Path $work 'unpacked\*\bin\failwise.exe') | Select-Object -First 1
  if (-not $failwise) { Stop-With "$name has no failwise.exe: it is of another platform; nothing was installed" '' }
  $options = @('setup')
  if ($Planner) { $options += '--planner' }
  if ($DryRun) { $options += '--dry-run' }
  & $failwise.FullName @options
  exit $LASTEXITCODE
} finally {
  Remove-Item -Recurse -Force -LiteralPath $work
}
