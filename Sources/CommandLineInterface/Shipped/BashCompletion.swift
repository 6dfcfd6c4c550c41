/// What bash sources to complete a program's command lines.
struct BashCompletion {
  let program: Command

  var text: String {
    let function = program.name
    let arms = CommandPath.all(of: program).map(arm).joined(separator: "\n")
    return """
      # bash completion for \(program.name), generated from its own table of commands.

      # Sets what may be typed after the command named by the arguments.
      __\(function)_facts() {
        case $* in
      \(arms)
        esac
      }

      _\(function)() {
        local commands options valued files
        local word i option= place=\(program.name) current=${COMP_WORDS[COMP_CWORD]}
        __\(function)_facts "$place"
        for ((i = 1; i < COMP_CWORD; i++)); do
          word=${COMP_WORDS[i]}
          if [[ -n $option ]]; then
            # bash breaks --option=value into three words.
            [[ $word == "=" ]] || option=
          elif [[ " $valued " == *" $word "* ]]; then
            option=$word
          elif [[ " $commands " == *" $word "* ]]; then
            place+=" $word"
            __\(function)_facts "$place"
          fi
        done
        [[ $current != "=" ]] || current=
        COMPREPLY=()
        if [[ -n $option ]]; then
          if [[ " $files " == *" $option "* ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
          fi
        elif [[ $current == -* ]]; then
          mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        elif [[ -n $commands ]]; then
          mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
        fi
      }

      complete -F _\(function) \(program.name)

      """
  }

  private func arm(_ path: CommandPath) -> String {
    let commands = path.subcommands.map(\.name)
    let options = path.options.map { "--" + $0.name }
    let valued = path.options.filter(\.takesValue).flatMap(\.spellings)
    let files = path.options.filter(\.takesFile).flatMap(\.spellings)
    return """
          "\(path.name)")
            commands="\(commands.joined(separator: " "))"
            options="\(options.joined(separator: " "))"
            valued="\(valued.joined(separator: " "))"
            files="\(files.joined(separator: " "))"
            ;;
      """
  }
}
