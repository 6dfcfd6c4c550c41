/// What zsh loads to complete a program's command lines.
struct ZshCompletion {
  let program: Command

  var text: String {
    let function = program.name
    let arms = CommandPath.all(of: program).map(arm).joined(separator: "\n")
    return """
      #compdef \(program.name)
      # zsh completion for \(program.name), generated from its own table of commands.

      # Sets what may be typed after the command named by the arguments.
      __\(function)_facts() {
        case "$*" in
      \(arms)
        esac
      }

      _\(function)() {
        local -a commands options valued files
        local word option= place=\(program.name)
        __\(function)_facts $place
        for word in ${words[2,CURRENT-1]}; do
          if [[ -n $option ]]; then
            option=
          elif (( ${valued[(Ie)$word]} )); then
            option=$word
          elif (( ${commands[(I)$word:*]} )); then
            place+=" $word"
            __\(function)_facts $place
          fi
        done
        if [[ -z $option && $PREFIX == --*=* ]]; then
          option=${PREFIX%%=*}
          compset -P '*='
        fi
        if [[ -n $option ]]; then
          (( ${files[(Ie)$option]} )) && _files
        elif [[ $PREFIX == -* ]]; then
          _describe -o option options
        elif (( ${#commands} )); then
          _describe command commands
        fi
      }

      # zsh runs this file as the function itself at the first use.
      if [[ $funcstack[1] == _\(function) ]]; then
        _\(function) "$@"
      elif (( $+functions[compdef] )); then
        compdef _\(function) \(program.name)
      fi

      """
  }

  private func arm(_ path: CommandPath) -> String {
    let commands = path.subcommands.map { Self.described($0.name, $0.summary) }
    let options = path.options.flatMap { option in option.spellings.map { Self.described($0, option.meaning) } }
    let valued = path.options.filter(\.takesValue).flatMap(\.spellings)
    let files = path.options.filter(\.takesFile).flatMap(\.spellings)
    return """
          "\(path.name)")
            commands=(\(commands.joined(separator: " ")))
            options=(\(options.joined(separator: " ")))
            valued=(\(valued.joined(separator: " ")))
            files=(\(files.joined(separator: " ")))
            ;;
      """
  }

  /// An entry of `_describe`: a colon parts the two, and one within the word would do so as well.
  private static func described(_ word: String, _ meaning: String) -> String {
    let name = word.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
    return "\(name):\(meaning)".shellQuoted
  }
}

extension String {
  /// One word of a POSIX shell, whatever it holds.
  var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
